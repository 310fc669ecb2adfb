/** How generators write and read YAML: as `core` does for everybody. */
export { readYaml, toYaml } from '../core/yaml.ts';
