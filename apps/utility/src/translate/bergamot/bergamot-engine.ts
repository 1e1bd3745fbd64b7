import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { compileFunction } from 'node:vm'
import { gunzip } from 'node:zlib'
import { serveEngine } from '@tollbook/workers/serve-engine'
import type { BergamotModel, BergamotOrder, BergamotResult, BergamotSettings } from './orders.ts'

/** An object in the memory of the module. */
type Held = { delete(): void }

type Memory = Held & { getByteArrayView(): Int8Array }

type List<Entry> = Held & { push_back(entry: Entry): void }

type Responses = Held & { get(at: number): Held & { getTranslatedText(): string } }

type ResponseOptions = { readonly qualityScores: false; readonly alignment: false; readonly html: boolean }

type Inputs = readonly [texts: List<string>, options: List<ResponseOptions>]

/** https://github.com/browsermt/bergamot-translator/tree/main/wasm/bindings */
type Bergamot = {
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

const unpack = promisify(gunzip)
/** Of an unpacked file; the largest published ones have 50 MB. */
const MAX_BYTES = 256 * 1024 * 1024
/** Of the package's own loader, which translates with these models in browsers. */
const CONFIG = `beam-size: 1
normalize: 1.0
word-penalty: 0
cpu-threads: 0
gemm-precision: int8shiftAlphaAll
skip-cost: true
alignment: soft
quiet: true
quiet-translation: true
max-length-break: 128
mini-batch-words: 1024
workspace: 128
max-length-factor: 2.0
`

serveEngine(async (provided) => {
  // Sent by the parent process.
  const { models } = provided as BergamotSettings
  const bergamot = await loadBergamot()
  const service = new bergamot.BlockingService({ cacheSize: 0 })
  const open = new Map<number, Awaited<ReturnType<typeof openModel>>>()
  const find = async (at: number) => {
    const files = models[at]
    if (!files) throw new Error(`no translation model ${at}`)
    const model = open.get(at) ?? (await openModel(bergamot, files))
    open.set(at, model)
    return model
  }
  return {
    about: null,
    async run(order): Promise<BergamotResult> {
      const { steps, texts } = order as BergamotOrder
      const [first, second] = steps
      const [one, other] = [await find(first), second === undefined ? null : await find(second)]
      const input = new bergamot.VectorString()
      const options = new bergamot.VectorResponseOptions()
      for (const text of texts) {
        input.push_back(text)
        options.push_back({ qualityScores: false, alignment: false, html: true })
      }
      const responses = other
        ? service.translateViaPivoting(one, other, input, options)
        : service.translate(one, input, options)
      const translated = texts.map((_, at) => {
        const response = responses.get(at)
        const text = response.getTranslatedText()
        response.delete()
        return text
      })
      for (const held of [input, options, responses]) held.delete()
      return translated
    },
  }
})

async function openModel(bergamot: Bergamot, { model, shortlist, vocabulary }: BergamotModel) {
  const load = async (file: string, alignment: number) => {
    const bytes = await unpack(await readFile(file), { maxOutputLength: MAX_BYTES })
    const memory = new bergamot.AlignedMemory(bytes.byteLength, alignment)
    memory.getByteArrayView().set(bytes)
    return memory
  }
  // Source and target share it.
  const vocabularies = new bergamot.AlignedMemoryList()
  vocabularies.push_back(await load(vocabulary, 64))
  const files = [await load(model, 256), await load(shortlist, 64)] as const
  return new bergamot.TranslationModel(CONFIG, ...files, vocabularies, null)
}

/**
 * Loads the WebAssembly module of the package. The package's own loader is for web workers, and does not run on
 * Node.
 * @throws Error for the operator
 */
async function loadBergamot(): Promise<Bergamot> {
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
