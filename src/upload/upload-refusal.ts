/** Refusals of an upload with the sentence that its sender needs: the limit and the size, or what is accepted. */
import type { Plan } from '../account/plan.ts';
import { ApiError } from '../contract/errors.ts';
import { acceptedExtensions, extensionOf } from '../media/accepted-media.ts';
import type { UnusedUploads } from './upload.ts';

const acceptedSentence = `Accepted are audio and video files: ${acceptedExtensions.join(', ')}.`;

export function fileTooLarge(sizeBytes: number, { fileBytesMax }: Plan): ApiError {
  const message = `The file has ${bytes(sizeBytes)}, and the plan of this account allows ${bytes(fileBytesMax)}. Send a smaller or compressed file.`;
  return new ApiError('file_too_large', { message });
}

/** What an account may have prepared at once, before any job uses it. */
export function expectAllowed(unused: UnusedUploads, plan: Plan, sizeBytes: number): void {
  expectBytesAllowed(unused, plan, sizeBytes);
  if (unused.openUploads >= plan.openUploadsMax) throw tooManyOpen(unused, plan);
}

export function expectBytesAllowed(unused: UnusedUploads, plan: Plan, sizeBytes: number): void {
  if (unused.bytes + sizeBytes > plan.unclaimedBytesMax) throw tooMuchUnused(unused, plan);
}

/** For a file that was cut off there: how large it is, nobody knows. */
export function largerThanAllowed({ fileBytesMax }: Plan): ApiError {
  const message = `The file is larger than the ${bytes(fileBytesMax)} that the plan of this account allows. Send a smaller or compressed file.`;
  return new ApiError('file_too_large', { message });
}

function tooMuchUnused(unused: UnusedUploads, { unclaimedBytesMax }: Plan): ApiError {
  const message = `With this file the uploads of this account that no transcription uses yet would be larger than the ${bytes(unclaimedBytesMax)} that its plan allows; they have ${bytes(unused.bytes)} now. Create transcriptions from them, abort those that are multipart, or wait: what is not used is erased after a day.`;
  return new ApiError('file_too_large', { message });
}

/** How long a client waits before it asks whether one of its other uploads is done. */
const openUploadRetrySeconds = 30;

function tooManyOpen({ openUploads }: UnusedUploads, { openUploadsMax }: Plan): ApiError {
  const message = `This account has ${openUploads} open uploads, and its plan allows ${openUploadsMax}. Finish or abort one first, or wait until their URLs have expired.`;
  const headers = { 'retry-after': String(openUploadRetrySeconds) };
  return new ApiError('rate_limited', { message, headers });
}

export function sizeDiffers(storedBytes: number, statedBytes: number): ApiError {
  const message = `The stored file has ${bytes(storedBytes)}, but upload.size says ${bytes(statedBytes)}. Send the exact size of what was uploaded.`;
  return new ApiError('invalid_upload', { message });
}

export function unsupportedName(filename: string, contentType: string | null): ApiError {
  const extension = extensionOf(filename);
  const ending = extension === undefined ? 'no known extension' : `the extension "${extension}"`;
  const type = contentType ? `content_type ${JSON.stringify(contentType)}` : 'no content_type';
  const message = `A file with ${ending} and ${type} is not accepted. ${acceptedSentence}`;
  return new ApiError('unsupported_type', { message });
}

export function unsupportedBytes(): ApiError {
  const message = `The stored bytes are not audio or video, whatever the name says. ${acceptedSentence}`;
  return new ApiError('unsupported_type', { message });
}

function bytes(count: number): string {
  return `${count.toLocaleString('en')} bytes`;
}
