/** What of WebAssembly is used here; the types of Node leave it out. */
interface WebAssemblyApi {
  readonly Module: {
    new (bytes: Uint8Array): WasmModule;
    imports(module: WasmModule): readonly { readonly name: string }[];
  };
  readonly Instance: new (module: WasmModule, imports: object) => { readonly exports: unknown };
}
export type WasmModule = object;

const api: WebAssemblyApi = Reflect.get(globalThis, 'WebAssembly');

export const compileWasm = (bytes: Uint8Array): WasmModule => new api.Module(bytes);

/** The names of the functions that a module asks for. */
export const wasmImports = (module: WasmModule): readonly string[] =>
  api.Module.imports(module).map(({ name }) => name);

/** An instance with a memory of its own; the caller knows what it exports. */
export const instantiateWasm = <Exports>(module: WasmModule, imports: object): Exports =>
  new api.Instance(module, imports).exports as Exports;
