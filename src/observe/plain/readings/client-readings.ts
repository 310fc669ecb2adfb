import { because, type PlainReading, word } from '../plain-reading.ts';

/** What oc, kubectl and Helm say of themselves and of what they were asked to install. */
export const CLIENT_READINGS: readonly PlainReading[] = [
  {
    // What reads a login from nowhere ends like a connection that is cut.
    id: 'says-login-not-typed',
    pattern:
      /\b(?:user ?name|password|passphrase|login)\b[^:\n]{0,60}: ?(?:error: |fatal: )?(?:EOF|unexpected EOF|inappropriate ioctl for device)["'\s]*$|\b(?:reading|getting|read|get) (?:the )?(?:user ?name|password|passphrase)[^:]{0,40}: (?:EOF|inappropriate ioctl for device)|cannot perform an? interactive login from a non[- ]TTY/i,
    cause: () =>
      'The command asks for a user name or password, and nobody can type one: it runs without a terminal, and was given none',
    remedy:
      'Give the login with the command (--username with --password-stdin), or leave the login out where the registry wants none',
  },
  {
    id: 'says-client-other-version',
    pattern:
      /Error from server \(NotAcceptable\)|invalid object doesn't have additional properties/,
    cause: () =>
      'The cluster and this oc or kubectl do not understand each other: mostly one of them is much older than the other',
    remedy: 'Compare with "oc version", and use the client of the release of the cluster',
  },
  {
    id: 'says-patch-quotes',
    after: /\b(?:oc|kubectl)\b.{0,60}\bpatch\b.*'[[{]\s*[[{]?\s*(?:\\"|[“”])/,
    pattern:
      /Invalid JSON Patch|invalid character .{1,6} looking for beginning of|unable to parse "/,
    cause: () =>
      'The patch is not valid JSON: between single quotes the shell hands over \\" and typographic quotes as they stand',
    remedy:
      'Write plain " between single quotes, or put the patch into a file (--patch-file); check it with "jq ."',
  },
  {
    id: 'says-patch-no-list',
    pattern:
      /cannot unmarshal object into Go value of type (?:jsonpatch\.Patch|\[\]handlers\.jsonPatchOp)/,
    cause: () =>
      'A patch of the type json is a list of operations ([{"op": …, "path": …}]), and an object was given',
    remedy: 'Give the list, or say --type merge for an object',
  },
  {
    id: 'says-patch-path',
    after: /\bpatch\b.*(?:--type[= ]["']?json\b|"op" ?:)/,
    pattern: /the server rejected our request due to an error in our request/,
    cause: () =>
      'The server cannot carry out an operation of the patch: mostly its path is not in the object, or its test does not hold',
    remedy:
      'Compare each path with "oc get KIND NAME -o json" (lists are counted from 0, "/" in a key is written ~1); make the parent first, or use --type merge',
  },
  {
    id: 'says-patch-unread',
    pattern:
      /Error from server(?: \(BadRequest\))?: (?<why>Invalid JSON Patch|error decoding patch.*)|^error: unable to parse "(?<patch>.{1,200})": (?:yaml|json|error)/,
    cause: (found) =>
      `The patch that was given is not valid JSON or YAML${because(word(found, 'patch', 'why'))}: most often the shell took or kept its quotes`,
    remedy:
      'Put it between single quotes with plain " inside (in cmd and PowerShell the other way round), or into a file (--patch-file); check it with "jq ."',
  },
  {
    id: 'says-client-plugin-missing',
    pattern:
      /No Auth Provider found for name "(?<name>[^"]+)"|The (?<gone>\w+) auth plugin has been removed|getting credentials: exec: (?:executable (?<file>\S+) (?:not found|failed)|"(?<path>[^"]+)": executable file not found)|exec plugin: invalid apiVersion "(?<api>client\.authentication[^"]+)"/,
    cause: (found) =>
      word(found, 'file', 'path') === undefined
        ? `This oc or kubectl does not know the way to log in that the kubeconfig names (${word(found, 'name', 'gone', 'api')}): it is of another version or build than the one it was made for`
        : `The program ${word(found, 'file', 'path')}, by which the kubeconfig lets oc log in, is not on this machine or fails`,
    remedy:
      'Install that program or the client that belongs to the cluster, or make the kubeconfig anew ("oc login")',
  },
  {
    id: 'says-release-others-object',
    pattern:
      /rendered manifests? contains? a resource that already exists\. Unable to continue with \w+[.:] (?:(?<what>\w+ "[^"]+")|.{0,80}\bname: (?<name>[\w.:-]+), existing_kind: (?<kind>[\w./=, ]{3,80}?),)?/,
    cause: (found) =>
      `Helm does not install what is there already and not of this release: ${word(found, 'what') ?? ([word(found, 'kind'), word(found, 'name')].filter(Boolean).join(' ') || 'the line names it')}`,
    remedy:
      'Remove what an earlier installation left, or give it to the release (label app.kubernetes.io/managed-by=Helm and the annotations meta.helm.sh/release-name and -namespace)',
  },
  {
    id: 'says-release-busy',
    pattern: /another operation \(install\/upgrade\/rollback\) is in progress/,
    cause: () =>
      'Helm holds the release for locked: another helm works on it, or an earlier one was broken off and left it pending',
    remedy:
      'Where nobody works on it, "helm history RELEASE" shows the pending revision; roll back to the one before it',
  },
  {
    id: 'says-release-name',
    pattern:
      /(?<why>cannot re-use a name that is still in use|"(?<name>[^"]+)" has no deployed releases)/,
    cause: (found) =>
      word(found, 'name') === undefined
        ? 'Helm has a release of this name in the namespace already, perhaps of an installation that failed'
        : `Helm cannot upgrade the release ${word(found, 'name')}: it was never installed to the end`,
    remedy:
      '"helm list -a" shows it with its state; upgrade a good one ("helm upgrade --install"), uninstall one that failed',
  },
  {
    id: 'says-release-too-large',
    pattern: /"sh\.helm\.release\.v1\.(?<name>[\w.-]+)\.v\d+" is invalid: .{0,40}Too long/,
    cause: (found) =>
      `The release ${word(found, 'name')} is too large for Helm to keep: it packs the chart with its values and manifests into one Secret, which may have 1 MiB`,
    remedy:
      'Leave files out of the chart that it does not need (.helmignore; archives, dashboards, definitions), or split it',
  },
  {
    id: 'says-chart-not-had',
    pattern:
      /^\W*(?:Error: )?(?:\w+ FAILED: )?failed to download "(?<chart>(?:oci:\/\/[^"]+|[^"/:]+)\/[^"/:]+)"(?: at version "(?<version>[^"]+)")?|chart "(?<name>[^"]+)" (?:matching|version) "?(?<range>[^\s"]*)"? ?not found in (?<where>\S+) (?:index|repository)|^Error: (?:\w+ FAILED: )?repo (?<repo>[\w.-]+) not found|no chart (?:version|name) found|failed to perform "FetchReference" on source: (?<oci>\S+): not found|no cached repo found\. .{0,60}?(?<index>[^\s/]+)-index\.yaml/,
    cause: (found) => {
      const repository = word(found, 'repo', 'index');
      const version = word(found, 'version', 'range');
      return repository === undefined
        ? `Helm does not get the chart ${word(found, 'chart', 'name', 'oci') ?? 'that is asked for'}${because(version)}: its repository has none of that name and version, or what is known of it here is old`
        : `This machine knows no Helm repository ${repository}`;
    },
    remedy:
      '"helm repo list" and "helm search repo CHART -l" show what is known here; "helm repo update" or "helm repo add" brings it up to date; without internet give the chart as a file or from a registry (oci://)',
  },
  {
    id: 'says-chart-for-other-cluster',
    pattern:
      /chart requires kubeVersion: (?<wants>.{1,60}?) which is incompatible with Kubernetes (?<has>v?[\d.]+)/,
    cause: (found) =>
      `The chart is for other versions of Kubernetes (${word(found, 'wants')}) than the cluster has (${word(found, 'has')})`,
    remedy:
      'Take a version of the chart for this cluster ("helm search repo CHART -l"); without a cluster ("helm template") say --kube-version',
  },
  {
    id: 'says-chart-parts-missing',
    pattern:
      /found in Chart\.yaml, but missing in charts\/ directory: (?<parts>[\w., -]{1,160})|can't get a valid version for .{0,60}subchart\(s\): (?<versions>.{1,200}?)\.? Make sure|(?<lock>Chart\.lock|requirements\.lock)\) is out of sync/,
    cause: (found) =>
      `Charts that this one is made of are not there as it names them: ${word(found, 'parts', 'versions') ?? `${word(found, 'lock')} does not fit Chart.yaml`}`,
    remedy:
      '"helm dependency update" fetches them from the repositories that Chart.yaml names; without internet put their .tgz into charts/, or set the repository to a mirror (oci://, file://)',
  },
  {
    id: 'says-chart-output',
    pattern:
      /YAML parse error on (?<file>\S+): error (?:converting YAML to JSON|unmarshal+ing JSON): (?<why>.{3,160})/i,
    cause: (found) =>
      `What the template ${word(found, 'file')} of the chart gives with these values is no valid manifest: ${word(found, 'why')}`,
    remedy:
      'Lines count in what comes out, not in the template: "helm template --debug" shows it; mostly a value lacks quotes or indentation (toYaml with nindent)',
  },
  {
    id: 'says-chart-protocol',
    pattern: /could not find protocol handler for: ?(?<scheme>\w*)/,
    cause: (found) =>
      `The address of a chart or repository is in a form that this Helm does not take (${word(found, 'scheme') ?? 'without https:// or oci://'})`,
    remedy:
      'Write it with https:// or oci:// ; for others (s3, git) the plugin has to be installed, and old versions of Helm want HELM_EXPERIMENTAL_OCI=1 for oci://',
  },
  {
    id: 'says-registry-no-repository',
    pattern: /looks like "oci:\/\/(?<where>[^"]+)" is not a valid chart repository/,
    cause: (found) =>
      `${word(found, 'where')} is a registry (oci://), and "helm repo add" takes only repositories with an index`,
    remedy:
      'Name the chart directly: "helm pull oci://REGISTRY/PATH/CHART --version VERSION" and the same for install; nothing is added before',
  },
  {
    id: 'says-hook-failed',
    pattern:
      /(?:INSTALLATION|UPGRADE|UNINSTALL) FAILED: (?:failed )?(?<hook>(?:pre|post)-(?:install|upgrade|delete|rollback))(?: hooks? failed)?: /i,
    isGeneral: true,
    cause: (found) => `The ${word(found, 'hook')} hook of the chart does not end well`,
    remedy: 'Look at the job of the hook and the log of its pod, which is often still there',
  },
];
