/** Drawn in place: no icon font, no request. */
const shapes = {
  pencil: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  bin: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  pause: 'M9 5v14M15 5v14',
  microphone: 'M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM6 11a6 6 0 0 0 12 0M12 17v4',
  search: 'M11 4a7 7 0 1 1 0 14a7 7 0 0 1 0-14zM16.5 16.5L21 21',
  copy: 'M9 9h11v11H9zM5 15V4h11',
} as const;

export function Icon({ name }: { name: keyof typeof shapes }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      width="18"
      height="18"
      fill="none"
      stroke="currentColor"
      stroke-width="1.8"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={shapes[name]} />
    </svg>
  );
}
