import type { ServerResponse } from 'node:http';
import type { PageWatch, WatchChange } from '../page-watch.ts';

const KEEP_ALIVE_MS = 15_000;

/**
 * Sends what happens as it happens. The id of an event is its place in the journal, `RUN/SEQ`: a page
 * that comes back says what it saw last and gets what came since, also from a server that was restarted.
 */
export function streamChanges(watch: PageWatch, response: ServerResponse, after: string): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  const send = (change: WatchChange) => response.write(messageOf(change));
  response.write('retry: 1000\n\n');
  catchUp(watch, after, send);
  const stop = watch.onChange(send);
  const beat = setInterval(() => response.write(': still here\n\n'), KEEP_ALIVE_MS);
  response.on('close', () => {
    clearInterval(beat);
    stop();
  });
}

function catchUp(watch: PageWatch, after: string, send: (change: WatchChange) => void): void {
  const [run = '', seq = ''] = after.split('/');
  const { run: state, version: _version, at: _at, views: _views, ...sections } = watch.page;
  const missed = watch.eventsAfter(run, Number(seq));
  for (const event of missed ?? []) send({ kind: 'event', run, event });
  if (!missed && state) send({ kind: 'run', run: state });
  for (const [name, value] of Object.entries(sections)) {
    send({ kind: 'section', name: name as keyof typeof sections, value });
  }
}

function messageOf(change: WatchChange): string {
  if (change.kind === 'section')
    return `event: section\ndata: ${JSON.stringify({ name: change.name, value: change.value ?? null })}\n\n`;
  if (change.kind === 'run')
    return `event: run\nid: ${change.run.run}/${change.run.seq}\ndata: ${JSON.stringify(change.run)}\n\n`;
  return `id: ${change.run}/${change.event.seq}\ndata: ${JSON.stringify(change.event)}\n\n`;
}
