import { syncDirectory } from '../../core/files.ts';

/**
 * Makes renames in a directory durable. Calls that come while one is waiting to start share it:
 * many commits at once pay for one sync.
 */
export function createDirectorySync(): (path: string) => Promise<void> {
  const waiting = new Map<string, Promise<void>>();
  const running = new Map<string, Promise<void>>();

  return (path) => {
    const joined = waiting.get(path);
    if (joined) return joined;
    const previous = running.get(path) ?? Promise.resolve();
    const next = previous
      .catch(() => undefined)
      .then(() => {
        waiting.delete(path);
        running.set(path, next);
        return syncDirectory(path);
      })
      .finally(() => {
        if (running.get(path) === next) running.delete(path);
      });
    waiting.set(path, next);
    return next;
  };
}
