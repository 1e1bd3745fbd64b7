import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium'

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

export type Pdfium = {
  readonly api: WrappedPdfiumModule
  /** The memory as it is now; it is replaced when it grows. */
  memory(): Uint8Array<ArrayBuffer>
  allocate(bytes: number): number
  /** Whether an allocation failed because of the bound. */
  isFull(): boolean
}

/**
 * Loads an instance of PDFium. It imports no functions that reach files or the network.
 * @param maxMemoryBytes the WebAssembly memory does not grow over this; PDFium then ends with a trap
 */
export async function loadPdfium(maxMemoryBytes: number): Promise<Pdfium> {
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
export function isTrap(error: unknown): boolean {
  return error instanceof findWasm().RuntimeError || error instanceof RangeError
}

function findWasm(): Wasm {
  return (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly
}
