import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium'

/** Why a document cannot be read. */
export type PdfRefusal = {
  readonly refusal: 'not_pdf' | 'encrypted' | 'damaged' | 'too_large' | 'no_such_page'
  /** Human-readable, for the caller. */
  readonly message: string
}

/** A document open in PDFium; pages are numbered from 0. */
export type OpenPdf = {
  readonly pdfium: Pdfium['api']
  readonly memory: Pdfium['memory']
  readonly document: number
  readonly pageCount: number
  /** Address of `SCRATCH_BYTES` for values that PDFium returns through pointers. */
  readonly scratch: number
}

/** The part of WebAssembly's interface that is used here; the compiler's own types come with those of the DOM. */
type Wasm = {
  compile(bytes: Uint8Array): Promise<object>
  readonly Instance: new (
    module: object,
    imports: Imports,
  ) => { readonly exports: { readonly memory: Memory } }
  readonly RuntimeError: new () => Error
}

type Imports = { readonly env: { emscripten_resize_heap: (requestedBytes: number) => boolean } }

type Memory = { readonly buffer: ArrayBuffer }

type Pdfium = {
  readonly api: WrappedPdfiumModule
  /** The memory as it is now; it is replaced when it grows. */
  memory(): Uint8Array<ArrayBuffer>
  allocate(bytes: number): number
  /** Whether an allocation failed because of the bound. */
  isFull(): boolean
}

/** ISO 32000-1, annex C.2, has no page limit; a page tree with more entries is a trick. */
const MAX_PAGES = 100_000
const MAX_MEMORY_BYTES = 256 * 2 ** 20
const SCRATCH_BYTES = 4_096
/** The header may follow other bytes (ISO 32000-2, annex I: within the first 1024). */
const HEADER_WITHIN_BYTES = 1_024
/** FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY of `fpdfview.h`. */
const ENCRYPTED = [4, 5]

/**
 * Opens a document in an instance of PDFium of its own, whose memory cannot grow over a bound, and works on it.
 * Nothing of the instance survives: damage that a document does to it does not reach the next one.
 * @param work synchronous; it may return a refusal of its own
 */
export async function openPdf<Result>(
  bytes: Uint8Array,
  work: (open: OpenPdf) => Result,
  maxMemoryBytes = MAX_MEMORY_BYTES,
): Promise<Result | PdfRefusal> {
  if (!Buffer.from(bytes.subarray(0, HEADER_WITHIN_BYTES)).includes('%PDF-')) {
    return { refusal: 'not_pdf', message: 'This is no PDF: its header %PDF- is missing.' }
  }
  const pdfium = await loadPdfium(maxMemoryBytes)
  const { api, memory, allocate } = pdfium
  try {
    const address = allocate(bytes.byteLength)
    if (address === 0) return TOO_LARGE
    memory().set(bytes, address)
    const document = api.FPDF_LoadMemDocument(address, bytes.byteLength, '')
    if (!document) return pdfium.isFull() ? TOO_LARGE : refuse(api.FPDF_GetLastError())
    const pageCount = api.FPDF_GetPageCount(document)
    if (pageCount > MAX_PAGES) return { refusal: 'too_large', message: 'The PDF has too many pages.' }
    return work({ pdfium: api, memory, document, pageCount, scratch: allocate(SCRATCH_BYTES) })
  } catch (error) {
    if (!isTrap(error)) throw error
    return pdfium.isFull()
      ? TOO_LARGE
      : { refusal: 'damaged', message: 'The PDF is damaged or nested too deeply.' }
  }
}

const TOO_LARGE: PdfRefusal = {
  refusal: 'too_large',
  message: 'The PDF needs more memory than is available.',
}

function refuse(error: number): PdfRefusal {
  return ENCRYPTED.includes(error)
    ? { refusal: 'encrypted', message: 'The PDF is encrypted and needs a password.' }
    : { refusal: 'damaged', message: 'The PDF is damaged: it has no readable page tree.' }
}

/** A string that PDFium writes as UTF-16LE after it has returned its length in bytes with the final zero. */
export function readUtf16(open: OpenPdf, write: (buffer: number, length: number) => number): string {
  const length = write(0, 0)
  if (length <= 2 || length > SCRATCH_BYTES) return ''
  write(open.scratch, length)
  return Buffer.from(open.memory().subarray(open.scratch, open.scratch + length - 2)).toString('utf16le')
}

/** The same for ASCII and UTF-8. */
export function readUtf8(open: OpenPdf, write: (buffer: number, length: number) => number): string {
  const length = write(0, 0)
  if (length <= 1 || length > SCRATCH_BYTES) return ''
  write(open.scratch, length)
  return Buffer.from(open.memory().subarray(open.scratch, open.scratch + length - 1)).toString()
}

/**
 * Loads an instance of PDFium. It imports no functions that reach files or the network.
 * @param maxMemoryBytes the WebAssembly memory does not grow over this; PDFium then ends with a trap
 */
async function loadPdfium(maxMemoryBytes: number): Promise<Pdfium> {
  const path = fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm'))
  const wasm = findWasm()
  const module = await wasm.compile(readFileSync(path))
  let memory: Memory = { buffer: new ArrayBuffer(0) }
  let isFull = false
  const overrides = {
    print: () => {},
    printErr: () => {},
    instantiateWasm(imports: Imports, succeed: (instance: object) => void) {
      const grow = imports.env.emscripten_resize_heap
      imports.env.emscripten_resize_heap = (requestedBytes) => {
        // A request beyond 2 GB arrives as a negative number.
        if (requestedBytes >>> 0 <= maxMemoryBytes && memory.buffer.byteLength < maxMemoryBytes) {
          return grow(requestedBytes)
        }
        isFull = true
        return false
      }
      const instance = new wasm.Instance(module, imports)
      memory = instance.exports.memory
      succeed(instance)
      return instance.exports
    },
  }
  const api = await init(overrides as Parameters<typeof init>[0])
  api.PDFiumExt_Init()
  return {
    api,
    memory: () => new Uint8Array(memory.buffer),
    allocate: (bytes) => api.pdfium.wasmExports.malloc(bytes),
    isFull: () => isFull,
  }
}

/** Whether an error is a trap of WebAssembly, or calls that nest too deeply. */
function isTrap(error: unknown): boolean {
  return error instanceof findWasm().RuntimeError || error instanceof RangeError
}

function findWasm(): Wasm {
  return (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly
}
