const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';

/** What a name in a layer means to the layers below it. */
export type LayerName =
  | { readonly kind: 'entry'; readonly path: string }
  /** Hides this path, and all below it, in lower layers. */
  | { readonly kind: 'whiteout'; readonly path: string }
  /** Hides what lower layers have inside this directory. */
  | { readonly kind: 'opaque'; readonly path: string }
  /** Points outside the image: never used. */
  | { readonly kind: 'unsafe' };

/** `./usr//bin/oc`, `/usr/bin/oc` and `usr/bin/oc` are one path; undefined when it leaves the root. */
export function normalPath(name: string): string | undefined {
  const parts: string[] = [];
  for (const part of name.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' || part.includes('\0')) return undefined;
    parts.push(part);
  }
  return parts.join('/');
}

export function parseLayerName(name: string): LayerName {
  const path = normalPath(name);
  if (path === undefined) return { kind: 'unsafe' };
  const slash = path.lastIndexOf('/');
  const directory = slash < 0 ? '' : path.slice(0, slash);
  const base = path.slice(slash + 1);
  if (base === OPAQUE) return { kind: 'opaque', path: directory };
  if (!base.startsWith(WHITEOUT)) return { kind: 'entry', path };
  const hidden = base.slice(WHITEOUT.length);
  return { kind: 'whiteout', path: directory === '' ? hidden : `${directory}/${hidden}` };
}

/** Where a symlink inside an image leads; undefined when it climbs out of the root. */
export function linkTarget(from: string, target: string): string | undefined {
  if (target.startsWith('/')) return normalPath(target);
  const parts = from.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** What upper layers have and hide, while the layers are read from the top down. */
export class LayerShadow {
  /** Path to the layer that has it: only the topmost counts. */
  readonly #owners = new Map<string, number>();
  readonly #hidden = new Map<string, number>();
  readonly #opaque = new Map<string, number>();

  hide(path: string, layer: number): void {
    if (!this.#hidden.has(path)) this.#hidden.set(path, layer);
  }

  makeOpaque(path: string, layer: number): void {
    if (!this.#opaque.has(path)) this.#opaque.set(path, layer);
  }

  /** Whether this entry of this layer is what the image shows; and notes that it is taken. */
  claim(path: string, layer: number, isDirectory: boolean): boolean {
    const owner = this.#owners.get(path);
    if (owner !== undefined && owner !== layer) return false;
    if (this.#isHidden(path, layer)) return false;
    this.#owners.set(path, layer);
    // A file in an upper layer replaces a whole directory below it.
    if (!isDirectory) this.hide(path, layer);
    return true;
  }

  #isHidden(path: string, layer: number): boolean {
    if (isAbove(this.#hidden.get(path), layer)) return true;
    if (isAbove(this.#opaque.get(''), layer)) return true;
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const parent = path.slice(0, slash);
      if (isAbove(this.#hidden.get(parent), layer) || isAbove(this.#opaque.get(parent), layer)) {
        return true;
      }
    }
    return false;
  }
}

function isAbove(upper: number | undefined, layer: number): boolean {
  return upper !== undefined && upper > layer;
}
