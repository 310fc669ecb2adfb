import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ComposedText } from '../../../src/dashboard/model/choice.ts';
import { ask, choice, composer } from '../compose.ts';
import { t } from '../settings.ts';
import { Operators } from './compose-operators.tsx';
import { Releases } from './compose-releases.tsx';

/** Releases and operators to choose from, and beside them the file that a choice becomes. */
export function Compose() {
  return (
    <div class="compose">
      <div>
        <Releases />
        <Operators />
        <Extras />
      </div>
      <Text />
    </div>
  );
}

function Extras() {
  const words = t().compose;
  return (
    <section class="card" aria-labelledby="extras">
      <h2 id="extras">{words.extras}</h2>
      <textarea
        rows={3}
        aria-labelledby="extras"
        placeholder="registry.redhat.io/ubi9/ubi:latest"
        onInput={({ currentTarget }) => {
          const additionalImages = currentTarget.value.split(/\s+/).filter(Boolean);
          choice.value = { ...choice.value, additionalImages };
        }}
      />
      <label class="choice">
        <input
          type="checkbox"
          checked={choice.value.graph}
          onChange={({ currentTarget }) => {
            choice.value = { ...choice.value, graph: currentTarget.checked };
          }}
        />
        <span>{words.graph}</span>
      </label>
    </section>
  );
}

function Text() {
  const words = t().compose;
  const text = useSignal<ComposedText | undefined>(undefined);
  const said = useSignal('');
  const chosen = choice.value;
  useEffect(() => {
    said.value = '';
    ask<ComposedText>('text', chosen).then(({ value }) => {
      text.value = value;
    });
  }, [chosen]);
  const save = async () => {
    const { value, trouble } = await ask<{ file: string }>('save', chosen);
    said.value = value ? words.saved(value.file) : trouble;
  };
  const problems = text.value?.problems ?? [];
  return (
    <aside class="card text" aria-label={words.file}>
      <h2>{composer.value?.file}</h2>
      <pre>{text.value?.yaml}</pre>
      {problems.map((problem) => (
        <p key={problem} class="bad-text">
          {problem}
        </p>
      ))}
      <button type="button" class="primary" disabled={problems.length > 0} onClick={save}>
        {words.save}
      </button>
      <output>{said.value}</output>
    </aside>
  );
}
