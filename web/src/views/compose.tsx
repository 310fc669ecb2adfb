import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type {
  ChannelOffer,
  ComposedText,
  PackageOffer,
  PathOffer,
  WeightOffer,
} from '../../../src/dashboard/model/choice.ts';
import { ask, CATALOGS, choice, composer, setOperators } from '../compose.ts';
import { formatBytes } from '../format.ts';
import { t } from '../settings.ts';

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

/** Says what went wrong where it went wrong. */
function Trouble({ text }: { readonly text: string }) {
  return text === '' ? null : (
    <p class="bad-text" role="alert">
      {text}
    </p>
  );
}

function Releases() {
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

const MOST_SHOWN = 60;

function Operators() {
  const words = t().compose;
  const catalog = useSignal(CATALOGS[0] ?? '');
  const query = useSignal('');
  const trouble = useSignal('');
  const isBusy = useSignal(false);
  const offer = useSignal<readonly PackageOffer[]>([]);
  const load = async () => {
    isBusy.value = true;
    const answer = await ask<readonly PackageOffer[]>('packages', { name: catalog.value });
    isBusy.value = false;
    trouble.value = answer.trouble;
    offer.value = answer.value ?? [];
  };
  const chosen =
    choice.value.operators.find((one) => one.catalog === catalog.value)?.packages ?? [];
  const set = (name: string, channel: string | undefined) => {
    const others = chosen.filter((one) => one.name !== name);
    const packages = channel === undefined ? others : [...others, { name, channel }];
    setOperators({ catalog: catalog.value, packages });
  };
  const shown = offer.value.filter(({ name }) => name.includes(query.value.toLowerCase()));
  return (
    <section class="card" aria-labelledby="operators">
      <h2 id="operators">{words.operators}</h2>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          load();
        }}
      >
        <input
          type="search"
          list="catalogs"
          aria-label={words.catalog}
          value={catalog.value}
          onInput={({ currentTarget }) => {
            catalog.value = currentTarget.value;
          }}
        />
        <datalist id="catalogs">
          {CATALOGS.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <button type="submit">{words.show}</button>
        {isBusy.value ? <span class="soft">{words.reading}</span> : null}
      </form>
      <Trouble text={trouble.value} />
      {offer.value.length > 0 ? (
        <input
          type="search"
          aria-label={words.find}
          placeholder={words.find}
          value={query.value}
          onInput={({ currentTarget }) => {
            query.value = currentTarget.value;
          }}
        />
      ) : null}
      <ul class="packages">
        {shown.slice(0, MOST_SHOWN).map((each) => (
          <Package
            key={each.name}
            offer={each}
            channel={chosen.find(({ name }) => name === each.name)?.channel}
            onSet={(channel) => set(each.name, channel)}
          />
        ))}
      </ul>
      {chosen.length > 0 ? <Weight catalog={catalog.value} packages={chosen} /> : null}
    </section>
  );
}

function Package({
  offer,
  channel,
  onSet,
}: {
  readonly offer: PackageOffer;
  readonly channel: string | undefined;
  readonly onSet: (channel: string | undefined) => void;
}) {
  const { name, version, channels, defaultChannel, deprecated } = offer;
  return (
    <li data-package={name}>
      <label>
        <input
          type="checkbox"
          checked={channel !== undefined}
          onChange={({ currentTarget }) =>
            onSet(currentTarget.checked ? defaultChannel : undefined)
          }
        />{' '}
        <b>{name}</b> <span class="soft">{version}</span>
        {deprecated ? <span class="bad-text"> {t().compose.deprecated}</span> : null}
      </label>
      {channel === undefined ? null : (
        <select
          aria-label={`${t().compose.channel}: ${name}`}
          value={channel}
          onChange={({ currentTarget }) => onSet(currentTarget.value)}
        >
          {channels.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      )}
    </li>
  );
}

/** What the chosen operators bring along, and what all of it weighs. */
function Weight({
  catalog,
  packages,
}: {
  readonly catalog: string;
  readonly packages: readonly { readonly name: string; readonly channel: string }[];
}) {
  const words = t().compose;
  const weight = useSignal<WeightOffer | undefined>(undefined);
  const trouble = useSignal('');
  const key = JSON.stringify(packages);
  useEffect(() => {
    let isWanted = true;
    weight.value = undefined;
    ask<WeightOffer>('weigh', { catalog, packages }).then((answer) => {
      if (!isWanted) return;
      trouble.value = answer.trouble;
      weight.value = answer.value;
    });
    return () => {
      isWanted = false;
    };
  }, [catalog, key]);
  if (trouble.value !== '') return <Trouble text={trouble.value} />;
  const found = weight.value;
  if (!found) return <p class="soft">{words.weighing}</p>;
  const along = found.packages.filter(({ isDependency }) => isDependency);
  return (
    <div class="weight" data-images={found.images}>
      <p>
        <b>{formatBytes(found.bytes)}</b> {words.weight(found.images)}{' '}
        {found.unknown > 0 ? <span class="soft">{words.unweighed(found.unknown)}</span> : null}
      </p>
      {along.map(({ name, bundles }) => (
        <p key={name}>
          {words.along} <b>{name}</b>{' '}
          <span class="soft">{bundles.flatMap(({ reasons }) => reasons).join('; ')}</span>
        </p>
      ))}
      {found.warnings.map((warning) => (
        <p key={warning} class="soft">
          {warning}
        </p>
      ))}
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
