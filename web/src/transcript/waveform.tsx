/** The sound as a picture, to see where one is and to go elsewhere. */
import { useEffect, useRef } from 'preact/hooks';
import { position } from '../format.ts';
import { text } from '../text.ts';
import type { Line } from './line.ts';
import type { Peaks } from './peaks.ts';
import type { Player } from './player.ts';

const barPixels = 3;
const gapPixels = 2;
const stepSeconds = 5;

interface WaveformProps {
  player: Player;
  peaks: Peaks | undefined;
  lines: readonly Line[];
  /** 1 to 8, by speaker. */
  voiceOf(speaker: string | null): number | undefined;
}

export function Waveform({ player, peaks, lines, voiceOf }: WaveformProps) {
  const wave = useRef<HTMLCanvasElement>(null);
  const turns = useRef<HTMLCanvasElement>(null);
  const durationMs = player.durationMs.value;

  useEffect(() => {
    const canvas = wave.current;
    if (!canvas) return;
    let last = -1;
    const draw = (ms: number, isForced = false) => {
      const column = durationMs > 0 ? Math.floor((ms / durationMs) * canvas.clientWidth) : 0;
      if (column === last && !isForced) return;
      last = column;
      drawWave(canvas, peaks, column);
    };
    const redraw = () => draw(player.positionMs, true);
    const watch = (ms: number) => draw(ms);
    const stop = onLook(canvas, redraw);
    player.watchers.add(watch);
    redraw();
    return () => {
      stop();
      player.watchers.delete(watch);
    };
  }, [player, peaks, durationMs]);

  useEffect(() => {
    const canvas = turns.current;
    if (!canvas) return;
    const draw = () => drawTurns(canvas, lines, durationMs, voiceOf);
    draw();
    return onLook(canvas, draw);
  }, [lines, durationMs, voiceOf]);

  const goTo = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    if (durationMs > 0) player.seek(((event.clientX - left) / width) * durationMs);
  };
  const onKey = (event: KeyboardEvent) => {
    const bySeconds = { ArrowLeft: -stepSeconds, ArrowRight: stepSeconds, PageUp: 60, PageDown: -60 }[
      event.key
    ];
    if (bySeconds === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    player.seek(player.positionMs + bySeconds * 1000);
  };
  return (
    <div
      class="sound"
      role="slider"
      tabIndex={0}
      aria-label={text.transcript.position}
      aria-valuemin={0}
      aria-valuemax={Math.round(durationMs / 1000)}
      aria-valuenow={player.second.value}
      aria-valuetext={position(player.second.value)}
      onKeyDown={onKey}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        goTo(event);
      }}
      onPointerMove={(event) => {
        if (event.buttons === 1) goTo(event);
      }}
    >
      <canvas ref={wave} class="wave" />
      <canvas ref={turns} class="turns" />
    </div>
  );
}

/** When it must be drawn anew: another size (also at once, for the first time), another theme. */
function onLook(canvas: HTMLCanvasElement, draw: () => void): () => void {
  const sizes = new ResizeObserver(draw);
  sizes.observe(canvas);
  const theme = matchMedia('(prefers-color-scheme: dark)');
  theme.addEventListener('change', draw);
  return () => {
    sizes.disconnect();
    theme.removeEventListener('change', draw);
  };
}

function prepared(canvas: HTMLCanvasElement): CanvasRenderingContext2D | undefined {
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = devicePixelRatio || 1;
  if (width === 0 || height === 0) return undefined;
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d') ?? undefined;
  context?.setTransform(scale, 0, 0, scale, 0, 0);
  context?.clearRect(0, 0, width, height);
  return context;
}

function drawWave(canvas: HTMLCanvasElement, peaks: Peaks | undefined, playedPixels: number): void {
  const context = prepared(canvas);
  if (!context) return;
  const { clientWidth: width, clientHeight: height } = canvas;
  const [played, ahead] = [colourOf(canvas, '--accent'), getComputedStyle(canvas).color];
  const pairs = peaks?.overview ?? new Int8Array();
  const points = pairs.length / 2;
  const bars = Math.max(1, Math.floor(width / (barPixels + gapPixels)));
  let loudest = 8;
  for (const value of pairs) loudest = Math.max(loudest, Math.abs(value));
  for (let bar = 0; bar < bars; bar++) {
    let [low, high] = [0, 0];
    const end = Math.max(Math.floor((bar * points) / bars) + 1, Math.floor(((bar + 1) * points) / bars));
    for (let at = Math.floor((bar * points) / bars); at < end; at++) {
      low = Math.min(low, pairs[2 * at] ?? 0);
      high = Math.max(high, pairs[2 * at + 1] ?? 0);
    }
    // The square root lets quiet talk be seen beside loud talk.
    const size = Math.max(3, Math.sqrt((high - low) / (2 * loudest)) * height);
    const x = (bar * width) / bars;
    context.fillStyle = x < playedPixels ? played : ahead;
    context.beginPath();
    context.roundRect(x, (height - size) / 2, barPixels, size, 1.5);
    context.fill();
  }
}

function drawTurns(
  canvas: HTMLCanvasElement,
  lines: readonly Line[],
  durationMs: number,
  voiceOf: WaveformProps['voiceOf'],
): void {
  const context = prepared(canvas);
  if (!context || durationMs === 0) return;
  const plain = getComputedStyle(canvas).color;
  const colours = Array.from({ length: 8 }, (_, i) => colourOf(canvas, `--v${i + 1}`));
  const { clientWidth, clientHeight } = canvas;
  let drawnTo = -1;
  for (const { startMs, endMs, speaker } of lines) {
    const x = (startMs / durationMs) * clientWidth;
    const width = Math.max(1, ((endMs - startMs) / durationMs) * clientWidth - 0.5);
    // Of ten hours many lines fall on one pixel: the first of them stands for all.
    if (x + width <= drawnTo) continue;
    drawnTo = Math.ceil(x + width);
    const voice = voiceOf(speaker);
    context.fillStyle = (voice === undefined ? undefined : colours[voice - 1]) ?? plain;
    context.fillRect(x, 0, width, clientHeight);
  }
}

/** A canvas knows no variables, and `light-dark()` only through an element. */
function colourOf(canvas: HTMLCanvasElement, name: string): string {
  const before = canvas.style.color;
  canvas.style.color = `var(${name})`;
  const { color } = getComputedStyle(canvas);
  canvas.style.color = before;
  return color;
}
