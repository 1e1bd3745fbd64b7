import { browsersOf } from './browser-processes.ts'
import { startOwnChromium } from './own-chromium.ts'

// A process that starts a browser, prints its process id, and is killed by a test.
const browser = await startOwnChromium()
process.stdout.write(`${typeof browser === 'string' ? browser : browsersOf(process.pid)[0]}\n`)
