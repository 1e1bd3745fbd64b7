import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createWorker, OEM } from 'tesseract.js'
import { Refusal, serveEngine } from '../../workers/serve-engine.ts'
import { joinWords, type OcrBlock } from './join-words.ts'
import type { OcrImage } from './open-ocr.ts'
import { prepareImage } from './prepare-image.ts'

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
      const { bytes, isPrepared } = order as OcrImage
      const image = isPrepared ? Buffer.from(bytes) : await prepareImage(bytes)
      if (!image) throw new Refusal('The image is broken, or has more than 50 million pixels.')
      const { data: read } = await worker.recognize(image, {}, { blocks: true })
      return joinWords((read.blocks ?? []) as readonly OcrBlock[])
    },
  }
})
