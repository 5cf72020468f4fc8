/** From a file to its text in five steps; test/acceptance/docs-page.test.ts runs the lines as a reader would paste them. */
import { type Html, html } from '../html.ts';
import { codeBlock } from './code-block.ts';
import { baseUrlMark, keyMark } from './page-marks.ts';

interface Step {
  title: string;
  text: Html;
  code: string;
}

const authorization = '-H "Authorization: Bearer $KEY"';
const json = "-H 'Content-Type: application/json'";

const start = `KEY='${keyMark}'
FILE='talk.mp3'   # any recording of yours`;

const steps: Step[] = [
  {
    title: 'Prepare',
    text: html`Say what you will send. The answer holds a signed URL for the bytes, and the key that names them later.`,
    code: `API='${baseUrlMark}/api/v1'
NAME=$(basename "$FILE") SIZE=$(wc -c < "$FILE" | tr -d ' ')
TARGET=$(curl -sS "$API/uploads" ${authorization} ${json} \\
  -d "{\\"filename\\":\\"$NAME\\",\\"size\\":$SIZE}")
echo "$TARGET"`,
  },
  {
    title: 'PUT the bytes',
    text: html`They go straight to storage. The URL is the permission: never send it your API key. A file from 100 MiB on comes back as
<code>multipart</code>, with a URL for each part; then <a href="#completeMultipartUpload">complete</a> it.`,
    code: `field() { sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"; }
curl -sS -X PUT -T "$FILE" -H "Content-Type: $(field content_type <<< "$TARGET")" "$(field url <<< "$TARGET")"`,
  },
  {
    title: 'Create the job',
    text: html`The answer comes at once: 202, an id, and the address to ask in <code>Location</code>. The work goes on in the background.`,
    code: `JOB=$(curl -sS "$API/transcriptions" ${authorization} ${json} \\
  -d "{\\"upload\\":{\\"filename\\":\\"$NAME\\",\\"size\\":$SIZE,\\"key\\":\\"$(field key <<< "$TARGET")\\",\\"storage\\":\\"$(field storage <<< "$TARGET")\\"}}")
echo "$JOB"; ID=$(field id <<< "$JOB")`,
  },
  {
    title: 'Wait',
    text: html`Ask with pauses until the status is <code>completed</code> or <code>failed</code>, or be told: <a href="#webhooks">subscribe a
webhook</a> and do not ask at all.`,
    code: `for PAUSE in 1 1 2 3 5 $(yes 5 | head -700); do
  curl -sS "$API/transcriptions/$ID" ${authorization} | grep -q '"status":"processing"' || break; sleep $PAUSE
done`,
  },
  {
    title: 'Read',
    text: html`The whole text, and segments with times in seconds. With <code>jq</code> at hand, <code>| jq -r .data.text</code> gives the text alone.`,
    code: `curl -sS "$API/transcriptions/$ID" ${authorization}`,
  },
];

const fromLink = `curl -sS '${baseUrlMark}/api/v1/transcriptions' ${authorization} ${json} \\
  -d '{"source_url":"https://example.com/talk.mp3"}'`;

export function guideSection(): Html {
  return html`<section id="start"><h2>From a recording to its text</h2>
<p>Five steps, as lines for <strong>bash</strong> with <code>curl</code>. Paste them one after the other.</p>
${codeBlock(start, { label: 'first, in bash', kind: 'guide' })}
<ol class="steps">${steps.map(
    ({ title, text, code }) =>
      html`<li><h3>${title}</h3><p>${text}</p>${codeBlock(code, { label: 'bash', kind: 'guide' })}</li>`,
  )}</ol>
<h3 id="links">A link instead of a file</h3>
<p>Media that is public needs no upload: create the job with its address, then go on with step 4. Pages of video sites, cloud drives and
direct media links all work; one link gives one recording.</p>
${codeBlock(fromLink, { label: 'bash' })}
</section>`;
}
