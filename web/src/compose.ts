import { signal } from '@preact/signals';
import type { ChosenOperators, ComposedChoice } from '../../src/dashboard/model/choice.ts';
import { page } from './data.ts';

/** Where operators usually come from. */
export const CATALOGS: readonly string[] = [
  'registry.redhat.io/redhat/redhat-operator-index:v4.18',
  'registry.redhat.io/redhat/certified-operator-index:v4.18',
  'registry.redhat.io/redhat/community-operator-index:v4.18',
];

export const composer = signal(
  (page.value as { readonly composer?: { readonly file: string } } | undefined)?.composer,
);

export const choice = signal<ComposedChoice>({
  channels: [],
  operators: [],
  additionalImages: [],
  graph: false,
});

/** Replaces what is chosen of one catalog; nothing chosen is no entry. */
export function setOperators(chosen: ChosenOperators): void {
  const others = choice.value.operators.filter(({ catalog }) => catalog !== chosen.catalog);
  const operators = chosen.packages.length > 0 ? [...others, chosen] : others;
  choice.value = { ...choice.value, operators };
}

export interface Answer<T> {
  readonly value: T | undefined;
  /** Why there is no value, in words; empty where there is one. */
  readonly trouble: string;
}

export async function ask<T>(work: string, body: unknown): Promise<Answer<T>> {
  try {
    const answer = await fetch(`/compose/${work}`, { method: 'POST', body: JSON.stringify(body) });
    if (answer.ok) return { value: (await answer.json()) as T, trouble: '' };
    if (answer.status !== 422) return { value: undefined, trouble: await answer.text() };
    const { message, hint = '' } = (await answer.json()) as { message: string; hint?: string };
    return { value: undefined, trouble: `${message}. ${hint}` };
  } catch (error) {
    return { value: undefined, trouble: String(error) };
  }
}
