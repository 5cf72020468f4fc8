/** What can be told about a file before a byte of it is sent. */
import { acceptedExtensions, acceptedType } from '../../../src/media/accepted-media.ts';
import { bytes, count } from '../format.ts';
import type { Account } from '../session.ts';
import { text } from '../text.ts';

/** For a file chooser. */
export const acceptedFiles = [...acceptedExtensions.map((one) => `.${one}`), 'audio/*', 'video/*'].join(',');

interface Described {
  name: string;
  size: number;
  type: string;
}

/** A sentence, or undefined when nothing speaks against it. */
export function fileProblem({ name, size, type }: Described, { plan }: Account): string | undefined {
  if (size === 0) return text.add.empty(name);
  if (size > plan.file_bytes_max) return text.add.tooLarge(name, bytes(plan.file_bytes_max));
  if (acceptedType(name, type) === undefined) return text.add.wrongType(name);
  return undefined;
}

/** How many more may be created today, besides those that are on their way. */
export function leftToday({ plan, used_today }: Account, onTheWay: number): number {
  return Math.max(0, plan.daily_transcriptions_max - used_today - onTheWay);
}

export function allowanceProblem(account: Account, left: number): string {
  return left === 0
    ? text.add.noneLeft(count(account.plan.daily_transcriptions_max))
    : text.add.fewLeft(count(left));
}
