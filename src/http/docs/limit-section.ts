import type { Plan, PlanTable } from '../../account/plan.ts';
import type { RateLimits } from '../../account/rate-limit.ts';
import { audioExtensions, videoExtensions } from '../../media/accepted-media.ts';
import { type Html, html } from '../html.ts';

export interface Limits {
  plans: PlanTable;
  rateLimits: RateLimits;
  multipartThresholdBytes: number;
}

const planRows: [title: string, value: (plan: Plan) => string][] = [
  ['file size', ({ fileBytesMax }) => bytesText(fileBytesMax)],
  ['length of a recording', ({ mediaSecondsMax }) => `${Math.floor(mediaSecondsMax / 3600)} h`],
  ['transcriptions per UTC day', ({ dailyTranscriptionsMax }) => dailyTranscriptionsMax.toLocaleString('en')],
  [
    'transcriptions at once; the others wait',
    ({ runningTranscriptionsMax }) => runningTranscriptionsMax.toLocaleString('en'),
  ],
  ['uploads that no job uses yet, together', ({ unclaimedBytesMax }) => bytesText(unclaimedBytesMax)],
  ['uploads prepared and not complete', ({ openUploadsMax }) => openUploadsMax.toLocaleString('en')],
  ['speakers told apart', ({ speakerDiarization }) => (speakerDiarization ? 'yes' : 'no')],
];

export function limitSection({ plans, rateLimits, multipartThresholdBytes }: Limits): Html {
  const all = [...plans.values()];
  const others: [what: string, limit: string][] = [
    ['requests per minute and account', String(rateLimits.requestsPerMinute)],
    ['new jobs per minute and account', String(rateLimits.createsPerMinute)],
    ['uploads in parts', `from ${bytesText(multipartThresholdBytes)}; use the part_size of the answer`],
    ['upload URLs', '15 minutes; those of parts four hours, completing included'],
    ['JSON body', '1 MiB'],
    ['filename', '240 characters'],
    ['Idempotency-Key', '24 hours'],
    ['active webhook subscriptions', '20 per account'],
  ];
  return html`<section id="limits"><h2>Limits</h2>
<div class="scroll"><table><thead><tr><th>Plan</th>${all.map(({ name }) => html`<th>${name}</th>`)}</tr></thead><tbody>
${planRows.map(([title, value]) => html`<tr><td>${title}</td>${all.map((plan) => html`<td class="num">${value(plan)}</td>`)}</tr>`)}
</tbody></table></div>
<div class="scroll"><table><tbody>${others.map(([what, limit]) => html`<tr><td>${what}</td><td class="num">${limit}</td></tr>`)}</tbody></table></div>
</section>`;
}

export function mediaSection(): Html {
  const list = (extensions: Record<string, string>) =>
    html`<p class="codes">${Object.entries(extensions).map(([extension, type]) => html`<span title="${type}">${extension}</span> `)}</p>`;
  return html`<section id="media"><h2>Accepted media</h2>
<p>By the name or the MIME type; the bytes have the last word. Playlists and manifests (m3u8, mpd, pls and the like) are never media.</p>
<h3>Audio</h3>${list(audioExtensions)}<h3>Video</h3>${list(videoExtensions)}</section>`;
}

function bytesText(bytes: number): string {
  const gib = bytes / 2 ** 30;
  return gib >= 1 ? `${round(gib)} GiB` : `${round(bytes / 2 ** 20)} MiB`;
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}
