import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

type Espeak = { readonly FS: { readFile(path: string): Uint8Array } }
type Options = { readonly arguments: readonly string[]; readonly stdin: () => number | null }

// A process of its own, started by `find-command.ts`: eSpeak NG, with the file of its module and its
// arguments. The package cannot write audio to standard output, so that it writes a file in its memory.
const [module = '', ...args] = process.argv.slice(2)
const speaks = args.includes('--stdout')
const text = args.includes('--stdin') ? readFileSync(0) : new Uint8Array()
let at = 0
// The package's only export.
const { default: run } = (await import(pathToFileURL(module).href)) as {
  default: (options: Options) => Promise<Espeak>
}
const { FS } = await run({
  arguments: speaks ? [...args.filter((arg) => arg !== '--stdout'), '-w', 'speech.wav'] : args,
  stdin: () => text[at++] ?? null,
})
if (speaks) process.stdout.write(FS.readFile('speech.wav'))
