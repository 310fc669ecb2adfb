import { useEffect } from 'preact/hooks';
import { composer } from './compose.ts';
import { connection, page, past, run, showRun } from './data.ts';
import { dateOf } from './format.ts';
import { helpShown, listenForKeys } from './keys.ts';
import { Pill } from './parts/pill.tsx';
import { SentenceLine } from './parts/sentence.tsx';
import { addressOf, shownViews, type View, view } from './route.ts';
import { nextLanguage, nextTheme, t, theme } from './settings.ts';
import { Bootstrap } from './views/bootstrap.tsx';
import { Cluster } from './views/cluster.tsx';
import { Compose } from './views/compose.tsx';
import { Config } from './views/config.tsx';
import { Findings } from './views/findings.tsx';
import { Images } from './views/images.tsx';
import { Mirror } from './views/mirror.tsx';
import { Nodes } from './views/nodes.tsx';
import { Overview } from './views/overview.tsx';
import { Rehearsal } from './views/rehearsal.tsx';
import { Runs } from './views/runs.tsx';

const PAGES: Readonly<Record<View, () => preact.JSX.Element | null>> = {
  overview: Overview,
  nodes: Nodes,
  bootstrap: Bootstrap,
  cluster: Cluster,
  findings: Findings,
  rehearsal: Rehearsal,
  images: Images,
  mirror: Mirror,
  config: Config,
  runs: Runs,
};

/** Without a site there is nothing to look at, and something to choose. */
function ComposerPage() {
  const words = t().compose;
  useEffect(() => {
    document.title = `${words.title} · atoll`;
  }, [words]);
  return (
    <>
      <Head name={words.title} />
      <main class="alone">
        <h1 class="only-heard">{words.title}</h1>
        <p class="sentence">{words.lead}</p>
        <Compose />
      </main>
    </>
  );
}

export function App() {
  return composer.value ? <ComposerPage /> : <SitePage />;
}

function SitePage() {
  useEffect(listenForKeys, []);
  const words = t();
  const Shown = PAGES[view.value];
  const name = page.value?.site?.name ?? words.title;
  useEffect(() => {
    document.title = `${words.views[view.value]} · ${name} · atoll`;
  }, [name, view.value, words]);
  return (
    <>
      <a class="skip" href="#content">
        {words.skip}
      </a>
      <Head name={name} />
      <Nav />
      <main id="content" tabIndex={-1}>
        <h1 class="only-heard">{`${words.views[view.value]}: ${name}`}</h1>
        <SentenceLine />
        <Shown />
      </main>
      <footer>
        atoll {page.value?.version}
        <button
          type="button"
          class="link"
          onClick={() => {
            helpShown.value = true;
          }}
        >
          {words.keys.title} <kbd>?</kbd>
        </button>
      </footer>
      {helpShown.value ? <Help /> : null}
    </>
  );
}

function Head({ name }: { readonly name: string }) {
  const words = t();
  const state = run.value?.outcome;
  return (
    <header class="head">
      <span class="brand">
        <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
          <circle
            cx="10"
            cy="10"
            r="7"
            fill="none"
            stroke="currentColor"
            stroke-width="3"
            stroke-dasharray="30 7 5 2"
          />
        </svg>
      </span>
      <strong class="site">{name}</strong>
      {state ? <Pill state={state} /> : null}
      {composer.value ? null : <Connection />}
      <span class="spring" />
      <button
        type="button"
        onClick={nextLanguage}
        lang={words.language === 'English' ? 'zh-CN' : 'en'}
      >
        {words.changeLanguage}
      </button>
      <button
        type="button"
        onClick={nextTheme}
        title={words.theme[theme.value]}
        aria-label={words.theme[theme.value]}
      >
        {{ auto: '◐', light: '☼', dark: '☾' }[theme.value]}
      </button>
    </header>
  );
}

function Connection() {
  const words = t().connection;
  if (past.value) {
    return (
      <>
        <span class="soft">{`${words.past}, ${dateOf(past.value.startedAt)}`}</span>
        <button type="button" onClick={() => showRun(undefined)}>
          {words.back}
        </button>
      </>
    );
  }
  const how = connection.value;
  // A page beside a command ends with it; then there is nothing to come back to.
  const isOver = how === 'lost' && run.value?.outcome !== 'running';
  return (
    <output class={`connection ${how}`} data-connection={how}>
      {how === 'file' ? words.file(dateOf(page.value?.at ?? '')) : words[isOver ? 'ended' : how]}
    </output>
  );
}

function Nav() {
  const counts: Readonly<Partial<Record<View, number>>> = {
    findings: page.value?.findings?.length ?? 0,
    nodes: page.value?.nodes?.length ?? 0,
    images: page.value?.images?.length ?? 0,
    runs: page.value?.runs.length ?? 0,
  };
  return (
    <nav class="nav">
      <ul>
        {shownViews().map((name) => (
          <li key={name}>
            <a href={addressOf(name)} aria-current={view.value === name ? 'page' : undefined}>
              {t().views[name]}
              {counts[name] ? <span class="badge">{counts[name]}</span> : null}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Help() {
  const { keys, close } = t();
  const rows: readonly (readonly [string, string])[] = [
    ['1 – 9', keys.views],
    ['/', keys.search],
    ['↑ ↓ ↵', keys.move],
    ['t', keys.theme],
    ['l', keys.language],
    ['?', keys.help],
  ];
  const hide = () => {
    helpShown.value = false;
  };
  return (
    <dialog open class="help" aria-label={keys.title}>
      <h2>{keys.title}</h2>
      <dl>
        {rows.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={hide} ref={(button) => button?.focus()}>
        {close}
      </button>
    </dialog>
  );
}
