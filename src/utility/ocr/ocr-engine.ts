import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createWorker, OEM } from 'tesseract.js'
import { serveEngine } from '../../workers/serve-engine.ts'
import { joinWords, type OcrBlock } from './join-words.ts'

/** Integer models, twice as quick as those of floats. */
const MODELS = '4.0.0_best_int'

// The process of `open-ocr.ts`. Everything is read from the packages; nothing is downloaded or cached.
serveEngine(async () => {
  const data = dirname(fileURLToPath(import.meta.resolve('@tesseract.js-data/eng')))
  const worker = await createWorker('eng', OEM.LSTM_ONLY, {
    langPath: join(data, MODELS),
    gzip: true,
    cacheMethod: 'none',
    // A rejected image is the error of its order.
    errorHandler: () => {},
  })
  return {
    about: null,
    async run(order): Promise<string[]> {
      const { image } = order as { readonly image: Uint8Array }
      const { data: read } = await worker.recognize(Buffer.from(image), {}, { blocks: true })
      return joinWords((read.blocks ?? []) as readonly OcrBlock[])
    },
  }
})
