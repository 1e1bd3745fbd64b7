#!/usr/bin/env node
import { nearestName } from '@tollbook/endpoints/arguments/nearest-name'
import { PRODUCT } from '@tollbook/endpoints/documents/product-version'
import { runProcess } from '@tollbook/runtime/process/run-process'
import { useCompileCache } from '@tollbook/workers/compile-cache'
import { findMissing, runCommand, WHERE_SETTINGS_ARE } from './commands/command.ts'
import { COMMANDS } from './commands/command-list.ts'

useCompileCache()

async function main(words: readonly string[]): Promise<number> {
  const [name, ...rest] = words
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(renderOverview())
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-v' || name === 'version') {
    process.stdout.write(
      `tollbook ${PRODUCT.version}, Node ${process.version}, ${process.platform} ${process.arch}\n`,
    )
    return 0
  }
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!entry) {
    const nearest = nearestName(name, Object.keys(COMMANDS))
    const hint = nearest === null ? '' : `; did you mean ${nearest}?`
    process.stderr.write(`tollbook: no command "${name}"${hint}\n\n${renderOverview()}`)
    return 2
  }
  return await runCommand(entry, rest)
}

function renderOverview(): string {
  const rows = Object.entries(COMMANDS).map(([name, entry]) => {
    const missing = findMissing(entry.needs)
    const note = missing === undefined ? '' : ` Needs npm install ${missing}.`
    return `  ${name.padEnd(15)} ${entry.summary}${note}`
  })
  return [
    'usage: tollbook <command> [options]',
    '',
    ...rows,
    '',
    'tollbook <command> --help shows more, tollbook --version the version.',
    WHERE_SETTINGS_ARE,
    '',
  ].join('\n')
}

await runProcess(() => main(process.argv.slice(2)))
