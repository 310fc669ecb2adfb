import { computed, effect, signal } from '@preact/signals';
import { en, type Words } from './words/en.ts';
import { zh } from './words/zh.ts';

export type Language = 'en' | 'zh';
export type Theme = 'auto' | 'light' | 'dark';

const WORDS: Readonly<Record<Language, Words>> = { en, zh };
const THEMES: readonly Theme[] = ['auto', 'light', 'dark'];

/** A page from disk may have no storage; then a choice lasts as long as the page. */
function stored(key: string): string | undefined {
  try {
    return localStorage.getItem(`atoll.${key}`) ?? undefined;
  } catch {
    return undefined;
  }
}

function store(key: string, value: string): void {
  try {
    localStorage.setItem(`atoll.${key}`, value);
  } catch {
    // See above.
  }
}

const spoken: Language = navigator.language.startsWith('zh') ? 'zh' : 'en';
const language = signal<Language>((stored('language') as Language | undefined) ?? spoken);
export const theme = signal<Theme>((stored('theme') as Theme | undefined) ?? 'auto');
const darkness = matchMedia('(prefers-color-scheme: dark)');
/** What is drawn by script has to be drawn anew when the system changes. */
export const isSystemDark = signal(darkness.matches);
darkness.addEventListener('change', ({ matches }) => {
  isSystemDark.value = matches;
});
const words = computed(() => WORDS[language.value] ?? en);

/** The words of the chosen language; a component that calls it is drawn again when that changes. */
export const t = (): Words => words.value;

export const nextTheme = () => {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'auto';
};
export const nextLanguage = () => {
  language.value = language.value === 'en' ? 'zh' : 'en';
};

effect(() => {
  const root = document.documentElement;
  root.lang = language.value === 'zh' ? 'zh-CN' : 'en';
  root.dataset.theme = theme.value;
  store('language', language.value);
  store('theme', theme.value);
});
