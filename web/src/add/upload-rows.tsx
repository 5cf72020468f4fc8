import { useEffect } from 'preact/hooks';
import { bytes, roughly } from '../format.ts';
import { text } from '../text.ts';
import { acceptedFiles } from './file-problem.ts';
import {
  cancelUpload,
  giveFile,
  pauseUpload,
  restoreUploads,
  resumeUpload,
  retryUpload,
  type Upload,
  uploads,
} from './uploads.ts';

export function UploadRows() {
  useEffect(() => void restoreUploads(), []);
  const isUnsafe = uploads.value.some(({ phase }) => phase === 'sending' || phase === 'creating');
  useEffect(() => {
    if (!isUnsafe) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isUnsafe]);
  if (uploads.value.length === 0) return null;
  return (
    <ul class="ledger uploads" aria-label={text.add.section}>
      {uploads.value.map((upload) => (
        <li key={upload.id}>
          <UploadRow upload={upload} />
        </li>
      ))}
    </ul>
  );
}

function UploadRow({ upload }: { upload: Upload }) {
  const { id, name, size, phase, bytesSent } = upload;
  return (
    <article class="entry">
      <div class="entry-main">
        <h2 dir="auto">{name}</h2>
        <p class={phase === 'failed' ? 'small failure' : 'small quiet num'}>{stateOf(upload)}</p>
      </div>
      <div class="entry-end">
        {phase === 'sending' && upload.canPause && (
          <button type="button" class="btn small" onClick={() => pauseUpload(id)}>
            {text.add.pause}
          </button>
        )}
        {phase === 'paused' && (
          <button type="button" class="btn small" onClick={() => resumeUpload(id)}>
            {text.add.goOn}
          </button>
        )}
        {phase === 'failed' && (
          <button type="button" class="btn small" onClick={() => retryUpload(id)}>
            {text.add.again}
          </button>
        )}
        {phase === 'needs-file' && <ChooseAgain id={id} />}
        {phase !== 'creating' && (
          <button type="button" class="btn small plain" onClick={() => void cancelUpload(id)}>
            {text.add.stop}
          </button>
        )}
      </div>
      {phase !== 'failed' && phase !== 'needs-file' && (
        <progress class="bar" max={size} value={bytesSent} aria-label={name} />
      )}
    </article>
  );
}

function ChooseAgain({ id }: { id: string }) {
  return (
    <label class="btn small">
      {text.add.chooseAgain}
      <input
        class="hidden-text"
        type="file"
        accept={acceptedFiles}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file) giveFile(id, file);
        }}
      />
    </label>
  );
}

function stateOf({ phase, bytesSent, size, bytesPerSecond, problem }: Upload): string {
  switch (phase) {
    case 'waiting':
      return text.add.waiting;
    case 'paused':
      return text.add.paused(bytes(bytesSent), bytes(size));
    case 'creating':
      return text.add.creating;
    case 'needs-file':
      return text.add.chooseAgainHint;
    case 'failed':
      return problem ?? text.add.failed;
    case 'sending':
      return [
        text.add.uploading(bytes(bytesSent), bytes(size)),
        ...(bytesPerSecond > 0
          ? [
              text.add.speed(bytes(bytesPerSecond)),
              text.library.left(roughly((size - bytesSent) / bytesPerSecond)),
            ]
          : []),
      ].join(' · ');
  }
}
