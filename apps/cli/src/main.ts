#!/usr/bin/env node
import { nearestName } from '@tollbook/endpoints/arguments/nearest-name'
import { PRODUCT } from '@tollbook/endpoints/documents/product-version'
import { PackageMissing, throwAbsence } from '@tollbook/runtime/process/package-missing'
import { runProcess } from '@tollbook/runtime/process/run-process'
import { useCompileCache } from '@tollbook/workers/compile-cache'
import { type Command, runCommand, WHERE_SETTINGS_ARE } from './commands/command.ts'

useCompileCache()

/** Each command is loaded only when it is called, so that a small one starts quickly. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./commands/start.ts')).start,
  serve: async () => (await import('./commands/serve.ts')).serve,
  index: async () => (await import('./commands/index.ts')).index,
  publish: async () => (await import('./commands/publish.ts')).publish,
  export: async () => (await import('./commands/export.ts')).export_,
  import: async () => (await import('./commands/import.ts')).import_,
  migrate: async () => (await import('./commands/migrate.ts')).migrate,
  backup: async () => (await import('./commands/backup.ts')).backup,
  restore: async () => (await import('./commands/restore.ts')).restore,
  check: async () => (await import('./commands/check.ts')).check,
  call: async () => (await import('./commands/call.ts')).call,
  mcp: async () => (await import('./commands/mcp.ts')).mcp,
  proxy: async () => (await import('./commands/proxy.ts')).proxy,
  list: async () => (await import('./commands/list.ts')).list,
  'prove-ownership': async () => (await import('./commands/prove-ownership.ts')).proveOwnership,
  session: async () => (await import('./commands/session.ts')).session,
  models: async () => (await import('./commands/models.ts')).models,
  disputes: async () => (await import('./commands/disputes.ts')).disputes,
  facilitators: async () => (await import('./commands/facilitators.ts')).facilitators,
  report: async () => (await import('./commands/report.ts')).report,
  verify: async () => (await import('./commands/verify.ts')).verify,
}

async function main(words: readonly string[]): Promise<number> {
  const [name, ...rest] = words
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(await renderOverview())
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-v' || name === 'version') {
    process.stdout.write(
      `tollbook ${PRODUCT.version}, Node ${process.version}, ${process.platform} ${process.arch}\n`,
    )
    return 0
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!load) {
    const nearest = nearestName(name, Object.keys(COMMANDS))
    const hint = nearest === null ? '' : `; did you mean ${nearest}?`
    process.stderr.write(`tollbook: no command "${name}"${hint}\n\n${await renderOverview()}`)
    return 2
  }
  return await runCommand(await load().catch(throwAbsence), rest)
}

/** What a command does, or the package that it needs. */
async function summarise(load: () => Promise<Command>): Promise<string> {
  try {
    return (await load().catch(throwAbsence)).summary
  } catch (error) {
    if (error instanceof PackageMissing) return `Not available: ${error.message}.`
    throw error
  }
}

async function renderOverview(): Promise<string> {
  const rows = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, load]) => `  ${name.padEnd(15)} ${await summarise(load)}`),
  )
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
