import { Frame } from '../frame.tsx';

export function TranscriptPage() {
  return (
    <Frame>
      <main class="page" />
    </Frame>
  );
}
