/** Says what went wrong where it went wrong. */
export function Trouble({ text }: { readonly text: string }) {
  return text === '' ? null : (
    <p class="bad-text" role="alert">
      {text}
    </p>
  );
}
