import { UsageError } from './usage-error.ts';

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function optionalId(name: string, text: string | undefined): string | undefined {
  if (text !== undefined && !uuidPattern.test(text))
    throw new UsageError(`${name} must be an id, not "${text}".`);
  return text;
}

export function wholeNumber(
  name: string,
  text: string | undefined,
  { min, max, otherwise }: { min: number; max: number; otherwise: number },
): number {
  const value = text === undefined ? otherwise : Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new UsageError(`${name} must be a whole number from ${min} to ${max}.`);
}
