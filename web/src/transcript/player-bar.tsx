/** The player, always at hand at the foot of the page. */
import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { position } from '../format.ts';
import { locale, text } from '../text.ts';
import type { Line } from './line.ts';
import type { Peaks } from './peaks.ts';
import { type Player, speeds } from './player.ts';
import { Waveform } from './waveform.tsx';

interface PlayerBarProps {
  player: Player;
  peaks: Peaks | undefined;
  mediaUrl: string;
  media: { type: string; is_video: boolean } | null;
  /** The recording is still worked on. */
  isComing: boolean;
  lines: readonly Line[];
  follows: Signal<boolean>;
  voiceOf(speaker: string | null): number | undefined;
}

const fineStep = 0.05;
const decimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });

export function PlayerBar(props: PlayerBarProps) {
  const { player, peaks, mediaUrl, media, isComing, lines, follows, voiceOf } = props;
  useShortcuts(player);
  const words = text.transcript;
  if (!media || player.isBroken.value)
    return (
      <footer class="player">
        <div>
          <Waveform player={player} peaks={peaks} lines={lines} voiceOf={voiceOf} />
          <p class="small quiet">{media ? words.mediaGone : isComing ? words.mediaComing : words.noMedia}</p>
        </div>
      </footer>
    );
  const Media = media.is_video ? 'video' : 'audio';
  return (
    <footer class="player">
      <Media
        ref={player.attach as (element: HTMLVideoElement | HTMLAudioElement | null) => void}
        class={media.is_video ? 'picture' : undefined}
        src={mediaUrl}
        preload="metadata"
        {...(media.is_video ? { playsInline: true } : {})}
      />
      <div>
        <Waveform player={player} peaks={peaks} lines={lines} voiceOf={voiceOf} />
        <div class="keys">
          <button
            type="button"
            class="play"
            aria-label={player.isPlaying.value ? words.pause : words.play}
            aria-keyshortcuts="Space"
            onClick={() => player.toggle()}
          >
            <svg width="18" height="18" viewBox="0 0 18 18" fill="currentColor" aria-hidden="true">
              <path d={player.isPlaying.value ? 'M5 3h3v12H5zM10 3h3v12h-3z' : 'M5 2.5v13L15.5 9z'} />
            </svg>
          </button>
          <span class="num clock">
            {position(player.second.value)}{' '}
            <span class="quiet">/ {position(player.durationMs.value / 1000)}</span>
          </span>
          <span class="grow" />
          <Speed player={player} />
          <Toggle state={player.skipsSilence} isWide label={words.skipSilence} />
          <Toggle state={follows} label={words.follow} />
        </div>
      </div>
    </footer>
  );
}

function Toggle({ state, label, isWide }: { state: Signal<boolean>; label: string; isWide?: boolean }) {
  return (
    <button
      type="button"
      class={isWide ? 'btn small wide' : 'btn small'}
      aria-pressed={state.value}
      onClick={() => {
        state.value = !state.value;
      }}
    >
      {label}
    </button>
  );
}

function Speed({ player }: { player: Player }) {
  const rate = player.rate.value;
  const known = speeds.some((one) => one === rate) ? speeds : [...speeds, rate].toSorted((a, b) => a - b);
  return (
    <select
      class="btn small num"
      aria-label={text.transcript.speed}
      value={String(rate)}
      onChange={(event) => player.setRate(Number(event.currentTarget.value))}
    >
      {known.map((one) => (
        <option key={one} value={String(one)}>
          {decimal.format(one)}×
        </option>
      ))}
    </select>
  );
}

/** Keys that work wherever nothing is being written. */
function useShortcuts(player: Player): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isWriting = (event.target as HTMLElement).closest(
        '[contenteditable], input, textarea, select, dialog',
      );
      if (event.ctrlKey && event.key === 'Enter') player.toggle();
      else if (isWriting || event.ctrlKey || event.metaKey || event.altKey) return;
      else if (event.key === ' ' && !(event.target as HTMLElement).closest('button, a, summary'))
        player.toggle();
      else if (event.key === 'ArrowLeft') player.seek(player.positionMs - (event.shiftKey ? 1_000 : 5_000));
      else if (event.key === 'ArrowRight') player.seek(player.positionMs + (event.shiftKey ? 1_000 : 5_000));
      else if (event.key === '-' || event.key === '<') player.setRate(player.rate.value - fineStep);
      else if (event.key === '+' || event.key === '>') player.setRate(player.rate.value + fineStep);
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [player]);
}
