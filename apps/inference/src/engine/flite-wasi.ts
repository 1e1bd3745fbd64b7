import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { WASI } from 'node:wasi'

type Instantiate = (bytes: Uint8Array, imports: object) => Promise<{ readonly instance: object }>

// A process of its own, started by `find-command.ts`: Flite, with the file of its module and its arguments.
// It may open files in the folder of its output only.
const [module = '', ...args] = process.argv.slice(2)
const output = args[args.indexOf('-o') + 1]
const preopens = output && args.includes('-o') ? { [dirname(output)]: dirname(output) } : {}
const wasi = new WASI({ version: 'preview1', args: ['flite', ...args], preopens, returnOnExit: true })
// The types of Node do not declare this global.
const { instantiate } = Reflect.get(globalThis, 'WebAssembly') as { readonly instantiate: Instantiate }
const { instance } = await instantiate(await readFile(module), {
  wasi_snapshot_preview1: wasi.wasiImport,
})
process.exitCode = wasi.start(instance)
