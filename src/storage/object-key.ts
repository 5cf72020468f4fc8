/**
 * The names of objects. An upload's key holds its account, so that ownership is decided before any store is asked;
 * nothing that a client types is ever part of a key.
 */
const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const uploadKeyPattern = new RegExp(`^uploads/(${uuid})/(${uuid})$`);
const workKeyPattern = new RegExp(`^work/(${uuid})/[a-z0-9][a-z0-9.-]{0,63}$`);
const playbackKeyPattern = new RegExp(`^playback/(${uuid})/[a-z0-9][a-z0-9.-]{0,63}$`);
const ownerPrefixPattern = new RegExp(`^(uploads|work|playback)/${uuid}/$`);

export const uploadPrefix = 'uploads/';
export const workPrefix = 'work/';
/** What outlives the work of a job: its waveform and its playback copy. */
export const playbackPrefix = 'playback/';

export function uploadKey(accountId: string, uploadId: string): string {
  return checked(`uploads/${accountId}/${uploadId}`);
}

/** An object that a job makes for itself (decoded audio, for instance); `name` is lower case, like `audio.pcm`. */
export function workKey(transcriptionId: string, name: string): string {
  return checked(`work/${transcriptionId}/${name}`);
}

/** An object that a job leaves for whoever listens to it. */
export function playbackKey(transcriptionId: string, name: 'peaks' | 'audio.ogg'): string {
  return checked(`${playbackPrefix}${transcriptionId}/${name}`);
}

/** Everything that the clients of an account have stored. */
export function uploadPrefixOf(accountId: string): string {
  return checkedPrefix(`uploads/${accountId}/`);
}

/** Everything that a job has made for itself. */
export function workPrefixOf(transcriptionId: string): string {
  return checkedPrefix(`${workPrefix}${transcriptionId}/`);
}

export function playbackPrefixOf(transcriptionId: string): string {
  return checkedPrefix(`${playbackPrefix}${transcriptionId}/`);
}

/** The account that an upload key belongs to; undefined when it is no upload key at all. */
export function accountOfUploadKey(key: string): string | undefined {
  return uploadKeyPattern.exec(key)?.[1];
}

export function transcriptionOfWorkKey(key: string): string | undefined {
  return workKeyPattern.exec(key)?.[1];
}

export function transcriptionOfPlaybackKey(key: string): string | undefined {
  return playbackKeyPattern.exec(key)?.[1];
}

/** True for the keys made here and for nothing else: such a key is safe as a relative path. */
export function isObjectKey(key: string): boolean {
  return [uploadKeyPattern, workKeyPattern, playbackKeyPattern].some((pattern) => pattern.test(key));
}

/** True for the prefixes made here: the directory of one account or of one job. */
export function isOwnerPrefix(prefix: string): boolean {
  return ownerPrefixPattern.test(prefix);
}

function checkedPrefix(prefix: string): string {
  if (!isOwnerPrefix(prefix)) throw new Error('a prefix is made of a uuid');
  return prefix;
}

function checked(key: string): string {
  if (!isObjectKey(key)) throw new Error('an object key is made of uuids and a plain lower-case name');
  return key;
}
