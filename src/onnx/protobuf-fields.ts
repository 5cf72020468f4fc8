/** The fields of a Protocol Buffers message in their wire format: bytes that are not changed stay as they were. */
export interface Field {
  number: number;
  wireType: number;
  /** The payload, without the length. */
  bytes: Buffer;
}

const varintType = 0;
const eightBytesType = 1;
const lengthType = 2;
const fourBytesType = 5;

export function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < message.length; ) {
    const tag = varintAt(message, at);
    const wireType = tag.value % 8;
    const { from, to } = extentOf(message, tag.end, wireType);
    fields.push({ number: Math.floor(tag.value / 8), wireType, bytes: message.subarray(from, to) });
    at = to;
  }
  return fields;
}

export function messageOf(fields: readonly Field[]): Buffer {
  return Buffer.concat(fields.flatMap(bytesOf));
}

/** The same; where a field has parts, these are its message. */
export function nestedMessageOf(fields: readonly (Field & { parts?: readonly Field[] })[]): Buffer {
  const written = fields.flatMap((field) => {
    if (!field.parts) return bytesOf(field);
    const inner = field.parts.flatMap(bytesOf);
    const length = inner.reduce((sum, bytes) => sum + bytes.length, 0);
    return [varint(field.number * 8 + lengthType), varint(length), ...inner];
  });
  return Buffer.concat(written);
}

function bytesOf({ number, wireType, bytes }: Field): Buffer[] {
  const length = wireType === lengthType ? [varint(bytes.length)] : [];
  return [varint(number * 8 + wireType), ...length, bytes];
}

export function bytesField(number: number, bytes: Buffer | string): Field {
  return { number, wireType: lengthType, bytes: typeof bytes === 'string' ? Buffer.from(bytes) : bytes };
}

export function numberField(number: number, value: number): Field {
  return { number, wireType: varintType, bytes: varint(value) };
}

/** The messages in all fields of one number. */
export function messagesIn(fields: readonly Field[], number: number): Field[][] {
  return fields.filter((field) => field.number === number).map((field) => fieldsOf(field.bytes));
}

export function textsOf(fields: readonly Field[], number: number): string[] {
  return fields.filter((field) => field.number === number).map((field) => field.bytes.toString());
}

export function numbersOf(fields: readonly Field[], number: number): number[] {
  return fields.filter((field) => field.number === number).map((field) => varintAt(field.bytes, 0).value);
}

function extentOf(message: Buffer, at: number, wireType: number): { from: number; to: number } {
  const extent = { from: at, to: at };
  if (wireType === varintType) extent.to = varintAt(message, at).end;
  else if (wireType === eightBytesType) extent.to = at + 8;
  else if (wireType === fourBytesType) extent.to = at + 4;
  else if (wireType === lengthType) {
    const length = varintAt(message, at);
    extent.from = length.end;
    extent.to = length.end + length.value;
  } else throw new Error(`unknown wire type ${wireType}`);
  if (extent.to > message.length) throw new Error('the message ends inside a field');
  return extent;
}

function varintAt(bytes: Buffer, at: number): { value: number; end: number } {
  let value = 0;
  for (let i = 0; i < 10; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) throw new Error('the message ends inside a varint');
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { value, end: at + i + 1 };
  }
  throw new Error('a varint of more than ten bytes');
}

function varint(value: number): Buffer {
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${value} cannot be written as a varint`);
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}
