/** Dates, times, sizes and numbers as the reader's locale writes them. */
import { locale } from './text.ts';

const number = new Intl.NumberFormat(locale);
const clockTime = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
const dayAndTime = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const fullDate = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
const dayMs = 86_400_000;

export function count(value: number): string {
  return number.format(value);
}

export function bytes(size: number): string {
  const step = size < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(size) / 3));
  const value = size / 1000 ** step;
  const style = { style: 'unit', unit: units[step], unitDisplay: 'short' } as const;
  return new Intl.NumberFormat(locale, {
    ...style,
    maximumFractionDigits: step > 1 && value < 100 ? 1 : 0,
  } as Intl.NumberFormatOptions).format(value);
}

/** How long something is: `1 h 12 min`, `11 min 51 s`, `8 s`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  if (minutes > 0) return rest > 0 ? `${minutes} min ${rest} s` : `${minutes} min`;
  return `${rest} s`;
}

/** As precise as an estimate is: `5 min`, `40 s`. */
export function roughly(seconds: number): string {
  if (seconds >= 90) return duration(Math.round(seconds / 60) * 60);
  return duration(Math.max(1, seconds > 20 ? Math.round(seconds / 10) * 10 : seconds));
}

/** A position in a recording: `1:04:07`, `4:07`. */
export function position(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, i) => (i === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

/** When something happened: today and yesterday with the time, this year with the day, else the date. */
export function when(iso: string, now = new Date()): string {
  const date = new Date(iso);
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const days = Math.floor((new Date(date).setHours(0, 0, 0, 0) - midnight) / dayMs + 0.5);
  if (days === 0 || days === -1) return `${relative.format(days, 'day')}, ${clockTime.format(date)}`;
  return date.getFullYear() === now.getFullYear() ? dayAndTime.format(date) : fullDate.format(date);
}

export function day(iso: string): string {
  return fullDate.format(new Date(iso));
}
