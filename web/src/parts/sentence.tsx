import { now, page, sentence } from '../data.ts';
import { clockOf, formatDuration } from '../format.ts';
import { t } from '../settings.ts';

const stageWord = (id: string | undefined) => (id === undefined ? '' : (t().stages[id] ?? id));

/** What goes on where a run stopped: of a site, or of one command. */
const command = () => {
  const { platform = '', name = '' } = page.value?.site ?? {};
  return platform === '' ? `atoll ${name}` : 'atoll up';
};

/** Where it is, whether it moves, what comes next and by when. */
export function SentenceLine() {
  const words = t().sentence;
  const said = sentence.value;
  if (said.kind === 'nothing') return <p class="sentence">{words.nothing}</p>;
  if (said.kind === 'succeeded') {
    const time = formatDuration(said.durationMs);
    return <p class="sentence">{words.succeeded(time, said.ran)}</p>;
  }
  if (said.kind === 'interrupted')
    return <p class="sentence">{words.interrupted(stageWord(said.stage), command())}</p>;
  if (said.kind === 'failed') {
    return (
      <p class="sentence">
        <strong>{words.failed(stageWord(said.stage))}</strong> {said.message}
      </p>
    );
  }
  return (
    <p class="sentence">
      <strong>{words.running(stageWord(said.stage), formatDuration(said.elapsedMs))}</strong>{' '}
      {said.moves ? words.moving : words.silent(formatDuration(said.silentMs))}{' '}
      {dueWords(said.dueMs)} {said.next ? words.next(stageWord(said.next)) : ''}{' '}
      {said.restMs === undefined
        ? ''
        : words.rest(formatDuration(said.restMs), clockOf(now.value + said.restMs))}
    </p>
  );
}

function dueWords(dueMs: number | undefined): string {
  if (dueMs === undefined) return '';
  const words = t().sentence;
  return dueMs >= 0 ? words.due(formatDuration(dueMs)) : words.late(formatDuration(-dueMs));
}
