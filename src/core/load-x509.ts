type Target = object;

interface Metadata {
  defineMetadata?: (key: unknown, value: unknown, target: Target) => void;
  getOwnMetadata?: (key: unknown, target: Target) => unknown;
  getMetadata?: (key: unknown, target: Target) => unknown;
}

/** The three calls the library makes of the decorator metadata proposal, where nobody has them yet. */
function provideMetadata(): void {
  const reflect = Reflect as Metadata;
  if (reflect.getMetadata) return;
  const known = new WeakMap<Target, Map<unknown, unknown>>();
  const own = (key: unknown, target: Target) => known.get(target)?.get(key);
  reflect.defineMetadata = (key, value, target) => {
    known.set(target, (known.get(target) ?? new Map()).set(key, value));
  };
  reflect.getOwnMetadata = own;
  reflect.getMetadata = (key, target) => {
    for (let each: Target | null = target; each; each = Object.getPrototypeOf(each)) {
      if (known.get(each)?.has(key)) return own(key, each);
    }
    return undefined;
  };
}

/** The certificate library, loaded when a certificate is made and not with every command. */
export async function loadX509(): Promise<typeof import('@peculiar/x509')> {
  provideMetadata();
  return await import('@peculiar/x509');
}
