import { useSignal } from '@preact/signals';
import type { ChannelOffer, PathOffer } from '../../../src/dashboard/model/choice.ts';
import { ask, choice } from '../compose.ts';
import { Trouble } from '../parts/trouble.tsx';
import { t } from '../settings.ts';

export function Releases() {
  const words = t().compose;
  const name = useSignal('stable-4.18');
  const trouble = useSignal('');
  const offer = useSignal<ChannelOffer | undefined>(undefined);
  const path = useSignal<PathOffer | undefined>(undefined);
  const chosen = choice.value.channels[0];
  const load = async () => {
    path.value = undefined;
    const answer = await ask<ChannelOffer>('channel', { name: name.value });
    trouble.value = answer.trouble;
    offer.value = answer.value;
    const newest = answer.value?.versions.at(-1);
    if (newest) await choose({ minVersion: newest, maxVersion: newest });
  };
  const choose = async (change: Partial<NonNullable<typeof chosen>>) => {
    const { name: was, ...kept } = choice.value.channels[0] ?? { name: '', shortestPath: true };
    const isNew = was !== name.value;
    const channel = { shortestPath: true, ...(isNew ? {} : kept), name: name.value, ...change };
    choice.value = { ...choice.value, channels: [channel] };
    const answer = await ask<PathOffer>('path', channel);
    trouble.value = answer.trouble;
    path.value = answer.value;
  };
  const versions = offer.value?.versions ?? [];
  return (
    <section class="card" aria-labelledby="releases">
      <h2 id="releases">{words.releases}</h2>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          load();
        }}
      >
        <label class="choice">
          <span>{words.channel}</span>
          <input
            value={name.value}
            onInput={({ currentTarget }) => {
              name.value = currentTarget.value;
            }}
          />
        </label>
        <button type="submit">{words.show}</button>
      </form>
      <Trouble text={trouble.value} />
      {versions.length > 0 && chosen ? (
        <>
          <div class="filters">
            <Version
              label={words.from}
              versions={versions}
              value={chosen.minVersion ?? ''}
              onChange={(minVersion) => choose({ minVersion })}
            />
            <Version
              label={words.to}
              versions={versions}
              value={chosen.maxVersion ?? ''}
              onChange={(maxVersion) => choose({ maxVersion })}
            />
            <label class="choice">
              <input
                type="checkbox"
                checked={chosen.shortestPath}
                onChange={({ currentTarget }) => choose({ shortestPath: currentTarget.checked })}
              />
              <span>{words.shortest}</span>
            </label>
          </div>
          <p class="path" data-path={path.value?.releases.join(' ')}>
            {path.value?.releases.join(' → ')}{' '}
            <span class="soft">{words.count(path.value?.releases.length ?? 0)}</span>
          </p>
          {path.value?.warnings.map((warning) => (
            <p key={warning} class="soft">
              {warning}
            </p>
          ))}
        </>
      ) : null}
    </section>
  );
}

function Version({
  label,
  versions,
  value,
  onChange,
}: {
  readonly label: string;
  readonly versions: readonly string[];
  readonly value: string;
  readonly onChange: (version: string) => void;
}) {
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {versions.map((version) => (
          <option key={version} value={version}>
            {version}
          </option>
        ))}
      </select>
    </label>
  );
}
