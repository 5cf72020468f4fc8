const width = 30;

/** One line on a terminal that says how far the work is; silent anywhere else. */
export class ProgressBar {
  readonly #terminal: NodeJS.WriteStream;
  #last = '';

  constructor(terminal: NodeJS.WriteStream) {
    this.#terminal = terminal;
  }

  show(stage: string, percent: number): void {
    if (!this.#terminal.isTTY) return;
    const filled = Math.round((width * percent) / 100);
    const line = `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${String(percent).padStart(3)} % ${stage}`;
    if (line === this.#last) return;
    this.#last = line;
    this.#terminal.write(`\r${line}\x1b[K`);
  }

  clear(): void {
    if (this.#last !== '') this.#terminal.write('\r\x1b[K');
  }
}
