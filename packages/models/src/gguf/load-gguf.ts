import { open } from 'node:fs/promises'
import type { GgufSettings } from './orders.ts'

/** First bytes of a GGUF file (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md). */
const MAGIC = 'GGUF'

/** Loads a model with llama.cpp, in a process of its own. @throws Error for the operator */
export async function loadGguf({ file, threads, gpu }: Pick<GgufSettings, 'file' | 'threads' | 'gpu'>) {
  await checkFile(file)
  const library = await loadLibrary()
  const llama = await library.getLlama({
    gpu,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    logLevel: library.LlamaLogLevel.disabled,
    ...(threads > 0 && { maxThreads: threads }),
  })
  const model = await llama.loadModel({ modelPath: file }).catch((error: unknown) => {
    throw new Error(`llama.cpp cannot load ${file}: ${error instanceof Error ? error.message : error}`)
  })
  return { library, llama, model }
}

/** Rejects a file that is not a model before the library is loaded. */
async function checkFile(file: string): Promise<void> {
  const magic = Buffer.alloc(MAGIC.length)
  try {
    const handle = await open(file)
    await handle.read(magic).finally(() => handle.close())
  } catch (error) {
    throw new Error(`${file} cannot be read`, { cause: error })
  }
  if (magic.toString('latin1') !== MAGIC) throw new Error(`${file} is not a GGUF file`)
}

/** An optional dependency: large, and needed only for local models. */
async function loadLibrary() {
  try {
    return await import('node-llama-cpp')
  } catch (error) {
    throw new Error('the package node-llama-cpp is not installed; run: npm install node-llama-cpp@3.22.1', {
      cause: error,
    })
  }
}
