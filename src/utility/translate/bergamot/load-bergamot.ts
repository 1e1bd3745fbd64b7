import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'

/** An object in the memory of the module. */
type Held = { delete(): void }
type Memory = Held & { getByteArrayView(): Int8Array }
type List<Entry> = Held & { push_back(entry: Entry): void }
type Responses = Held & { get(at: number): Held & { getTranslatedText(): string } }
type ResponseOptions = { readonly qualityScores: false; readonly alignment: false; readonly html: boolean }
type Inputs = readonly [texts: List<string>, options: List<ResponseOptions>]

/** https://github.com/browsermt/bergamot-translator/tree/main/wasm/bindings */
export type Bergamot = {
  readonly AlignedMemory: new (size: number, alignment: number) => Memory
  readonly AlignedMemoryList: new () => List<Memory>
  readonly VectorString: new () => List<string>
  readonly VectorResponseOptions: new () => List<ResponseOptions>
  readonly TranslationModel: new (
    config: string,
    model: Memory,
    shortlist: Memory,
    vocabularies: List<Memory>,
    qualityModel: null,
  ) => Held
  readonly BlockingService: new (options: {
    readonly cacheSize: number
  }) => {
    translate(model: Held, ...inputs: Inputs): Responses
    translateViaPivoting(first: Held, second: Held, ...inputs: Inputs): Responses
  }
}

type Imports = Readonly<Record<string, object>>
type Instantiate = (bytes: Uint8Array, imports: Imports) => Promise<{ readonly instance: object }>
type Exports = Readonly<Record<string, (...values: readonly number[]) => number>>

/** Products of matrices: Firefox has its own; elsewhere the module imports those that it exports. */
const PRODUCTS = {
  int8_prepare_a: 'int8PrepareAFallback',
  int8_prepare_b: 'int8PrepareBFallback',
  int8_prepare_b_from_transposed: 'int8PrepareBFromTransposedFallback',
  int8_prepare_b_from_quantized_transposed: 'int8PrepareBFromQuantizedTransposedFallback',
  int8_prepare_bias: 'int8PrepareBiasFallback',
  int8_multiply_and_add_bias: 'int8MultiplyAndAddBiasFallback',
  int8_select_columns_of_b: 'int8SelectColumnsOfBFallback',
}

const FOLDER = '@browsermt/bergamot-translator/worker'

/**
 * Loads the WebAssembly module of the package. The package's own loader is for web workers, and does not run on
 * Node.
 * @throws Error for the operator
 */
export async function loadBergamot(): Promise<Bergamot> {
  const read = (name: string) => readFile(fileURLToPath(import.meta.resolve(`${FOLDER}/${name}`)))
  const [script, bytes] = await Promise.all([
    read('bergamot-translator-worker.js'),
    read('bergamot-translator-worker.wasm'),
  ]).catch((cause: unknown) => {
    const hint = 'run: npm install @browsermt/bergamot-translator@0.4.9'
    throw new Error(`the package @browsermt/bergamot-translator is not installed; ${hint}`, { cause })
  })
  // The types of Node do not declare this global.
  const { instantiate } = Reflect.get(globalThis, 'WebAssembly') as { readonly instantiate: Instantiate }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // The script adds what the module exports.
  const module: { asm?: Exports; [name: string]: unknown } = {
    print() {},
    printErr() {},
    onRuntimeInitialized: resolve,
    instantiateWasm(imports: Imports, accept: (instance: object) => void) {
      const products = Object.entries(PRODUCTS).map(([name, own]) => [
        name,
        (...values: readonly number[]) => module.asm?.[own]?.(...values),
      ])
      instantiate(bytes, { ...imports, wasm_gemm: Object.fromEntries(products) }).then(
        ({ instance }) => accept(instance),
        reject,
      )
      return {}
    },
  }
  compileFunction(script.toString(), ['Module'])(module)
  await promise
  return module as unknown as Bergamot
}
