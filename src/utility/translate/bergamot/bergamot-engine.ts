import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { serveEngine } from '../../../workers/serve-engine.ts'
import { type Bergamot, loadBergamot } from './load-bergamot.ts'
import type { BergamotModel, BergamotOrder, BergamotResult, BergamotSettings } from './orders.ts'

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
