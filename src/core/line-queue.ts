/** Lines for the input of a program, given as they are known. */
export interface LineQueue {
  write(line: string): void;
  end(): void;
  read(): AsyncGenerator<Uint8Array>;
}

export function createLineQueue(): LineQueue {
  const lines: string[] = [];
  let done = false;
  let wake: () => void = () => undefined;
  return {
    write(line) {
      lines.push(line);
      wake();
    },
    end() {
      done = true;
      wake();
    },
    async *read() {
      while (!done || lines.length > 0) {
        const line = lines.shift();
        if (line !== undefined) yield Buffer.from(`${line}\n`);
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
