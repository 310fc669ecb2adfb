import { t } from '../settings.ts';

/** Which colour a state has. The word always stands beside it: colour alone tells nothing. */
const TONES: Readonly<Record<string, string>> = {
  running: 'busy',
  done: 'good',
  succeeded: 'good',
  copied: 'good',
  ready: 'good',
  joined: 'good',
  complete: 'good',
  approved: 'good',
  denied: 'bad',
  failed: 'bad',
  root: 'bad',
  hole: 'bad',
  stuck: 'warn',
  interrupted: 'warn',
  warning: 'warn',
  retry: 'warn',
};

export const toneOf = (state: string): string => TONES[state] ?? 'quiet';

export function Pill({ state, word }: { readonly state: string; readonly word?: string }) {
  return <span class={`pill ${toneOf(state)}`}>{word ?? t().states[state] ?? state}</span>;
}
