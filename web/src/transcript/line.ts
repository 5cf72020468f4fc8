/** A line of a transcript, as the page holds it. */
export interface Content {
  startMs: number;
  endMs: number;
  text: string;
  speaker: string | null;
}

export interface Line extends Content {
  id: string;
}

/** A line as the service last told it; a deleted one is still known there. */
export interface ServerLine extends Line {
  /** 0: heard while the transcript is being made. */
  revision: number;
  isDeleted: boolean;
}

export function isSame(a: Content | null, b: Content | null): boolean {
  if (!a || !b) return a === b;
  return a.text === b.text && a.startMs === b.startMs && a.endMs === b.endMs && a.speaker === b.speaker;
}

export function contentOf(line: ServerLine | null | undefined): Content | null {
  if (!line || line.isDeleted) return null;
  const { startMs, endMs, text, speaker } = line;
  return { startMs, endMs, text, speaker };
}

/** The order in which the service reads them, too. */
export function byTime(a: Line, b: Line): number {
  return a.startMs - b.startMs || a.endMs - b.endMs || (a.id < b.id ? -1 : 1);
}

/**
 * What two people made of the same line, put together: each field that only one of them changed is theirs. Undefined
 * where both changed the same one, or where one deleted what the other changed.
 */
export function merged(
  base: Content | null,
  mine: Content | null,
  theirs: Content | null,
): { content: Content | null } | undefined {
  if (isSame(mine, theirs) || isSame(base, mine)) return { content: theirs };
  if (isSame(base, theirs)) return { content: mine };
  if (!base || !mine || !theirs) return undefined;
  const field = <Name extends keyof Content>(name: Name): Content[Name] | undefined => {
    if (mine[name] === base[name]) return theirs[name];
    return theirs[name] === base[name] || theirs[name] === mine[name] ? mine[name] : undefined;
  };
  const content = {
    startMs: field('startMs'),
    endMs: field('endMs'),
    text: field('text'),
    speaker: field('speaker'),
  };
  if (Object.values(content).includes(undefined)) return undefined;
  return { content: content as Content };
}
