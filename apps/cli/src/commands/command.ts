import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { UsageError } from '@tollbook/flow/usage-error'
import { PackageMissing, throwAbsence } from '@tollbook/runtime/process/package-missing'

type Values = Readonly<Record<string, string | boolean | undefined | readonly (string | boolean)[]>>

/** A subcommand of `main.ts` with its own options and help. */
export type Command = {
  readonly name: string
  /** The rest of the usage line, such as `<url> [options]`. */
  readonly usage: string
  readonly options: Readonly<Record<string, CommandOption>>
  /** Example calls for the help, without the word `tollbook`. */
  readonly examples?: readonly string[]
  /** Help text in addition to the options: requirements and next steps. */
  readonly notes?: readonly string[]
  /** Its own exit codes, by number, in addition to those of all commands. */
  readonly exitCodes?: Readonly<Record<number, string>>
  /** Resolves to the exit code when the command is done. */
  readonly run: (arguments_: {
    readonly values: Values
    readonly positionals: readonly string[]
  }) => Promise<number>
}

/** A command in the list of commands. */
export type CommandEntry = {
  readonly summary: string
  /** Optional packages that it cannot run without. */
  readonly needs?: readonly string[]
  readonly load: () => Promise<Command>
}

export type CommandOption = {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  readonly multiple?: boolean
  /** The placeholder of the value in the help. */
  readonly value?: string
  readonly help: string
}

/** Takes the place of `TOLLBOOK_NETWORK` for a command and the processes that it starts. */
export const NETWORK_OPTION = {
  network: {
    type: 'string',
    value: 'name|file',
    help: 'base, base-sepolia or a network file (default TOLLBOOK_NETWORK, else base)',
  },
} as const satisfies Command['options']

export const WHERE_SETTINGS_ARE =
  'Settings are environment variables, see docs/settings.md. In a checkout tollbook is: npx node src/main.ts'

const EXIT_CODES: Readonly<Record<number, string>> = {
  0: 'done',
  2: 'called wrongly',
  70: 'failed',
  78: 'wrong settings',
}

/** The origin of a host or URL; HTTPS without a scheme. @throws UsageError for anything else. */
export function toOrigin(text: unknown): string {
  const url = `${text}`.includes('://') ? `${text}` : `https://${text}`
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`not a host or URL: ${text}`)
  return new URL(url).origin
}

/** @throws PackageMissing if a package that the command needs is not installed */
export async function runCommand(entry: CommandEntry, words: readonly string[]): Promise<number> {
  const asksHelp = words.includes('--help') || words.includes('-h')
  // First, since loading takes time.
  if (!asksHelp) requireInstalled(entry.needs)
  const command = await entry.load().catch(throwAbsence)
  if (asksHelp) {
    process.stdout.write(renderHelp(entry.summary, command))
    return 0
  }
  const options: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries(command.options).map(([name, { type, short, multiple = false }]) => [
      name,
      { type, multiple, ...(short !== undefined && { short }) },
    ]),
  )
  const allowPositionals = command.usage !== '' && !/^\[?-/.test(command.usage)
  try {
    const parsed = parseArgs({ args: [...words], options, allowPositionals })
    if (NETWORK_OPTION.network === command.options.network && typeof parsed.values.network === 'string')
      (await import('@tollbook/runtime/config')).overrideSetting('TOLLBOOK_NETWORK', parsed.values.network)
    return await command.run(parsed).catch(throwAbsence)
  } catch (error) {
    const isParser = error instanceof Error && 'code' in error && /^ERR_PARSE_ARGS/.test(String(error.code))
    if (!(error instanceof UsageError) && !isParser) throw error
    // The parser's second sentence explains positional arguments that begin with a dash.
    const message = isParser ? error.message.split('. ')[0] : error.message
    process.stderr.write(`${message}\nsee tollbook ${command.name} --help\n`)
    return 2
  }
}

/** The first of these packages that is not installed. */
export function findMissing(names: readonly string[] = []): string | undefined {
  return names.find((name) => !isInstalled(name))
}

/** @throws PackageMissing with the first of these packages that is not installed */
export function requireInstalled(names: readonly string[] = []): void {
  const missing = findMissing(names)
  if (missing !== undefined) throw new PackageMissing(missing)
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(`${name}/package.json`)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return false
    throw error
  }
}

function renderHelp(summary: string, command: Command): string {
  const rows = Object.entries(command.options).map(([name, option]) => {
    const flag = `${option.short ? `-${option.short}, ` : '    '}--${name}${option.value ? ` <${option.value}>` : ''}`
    return `  ${flag.padEnd(30)} ${option.help}`
  })
  const usage = `tollbook ${command.name} ${command.usage}`.trimEnd()
  const examples = (command.examples ?? []).map((example) => `  tollbook ${example}`)
  const codes = Object.entries({ ...EXIT_CODES, ...command.exitCodes })
  return [
    summary,
    '',
    `usage: ${usage}`,
    ...(rows.length > 0 ? ['', ...rows] : []),
    ...(examples.length > 0 ? ['', 'for example:', ...examples] : []),
    ...(command.notes ? ['', ...command.notes] : []),
    '',
    `exit codes: ${codes.map(([code, meaning]) => `${code} ${meaning}`).join(', ')}`,
    '',
    WHERE_SETTINGS_ARE,
    '',
  ].join('\n')
}
