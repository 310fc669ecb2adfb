/** A group, version and kind of the Kubernetes API that an operator brings or needs. */
export interface ApiKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** `NooBaa noobaa.io/v1alpha1` */
export function formatApiKind({ group, version, kind }: ApiKind): string {
  return `${kind} ${group === '' ? '' : `${group}/`}${version}`;
}

export function sameApiKind(a: ApiKind, b: ApiKind): boolean {
  return a.group === b.group && a.version === b.version && a.kind === b.kind;
}
