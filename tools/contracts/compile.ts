import { writeFileSync } from 'node:fs'
import solc from 'solc'
import { COMPILER_SETTINGS, hashSources, RUNTIME_CODE_FILE, readSources } from './sources.ts'

/** Contracts that are deployed on the dev chain, by its genesis or by tests. */
export const CONTRACT_NAMES = [
  'DevUsdc',
  'DevNamedUsdc',
  'DevPermit2',
  'DevExactProxy',
  'DevUptoProxy',
  'DevMulticall3',
  'DevWalletFactory',
  'DevCaptureEscrow',
  'DevChannelEscrow',
  'DevDepositCollector',
] as const

export type Compiled = {
  /** Runtime code, hex with `0x`. */
  readonly code: string
  /** Selector (8 hex digits) by signature. */
  readonly selectors: Readonly<Record<string, string>>
  readonly hasImmutables: boolean
}

/**
 * Compiles the contracts of `packages/devchain/src/contracts`.
 * @throws Error with every message of the compiler, including warnings.
 */
export function compileContracts(): Readonly<Record<(typeof CONTRACT_NAMES)[number], Compiled>> {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(readSources()).map(([file, content]) => [file, { content }])),
    settings: {
      ...COMPILER_SETTINGS,
      outputSelection: { '*': { '*': ['evm.deployedBytecode', 'evm.methodIdentifiers'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as SolcOutput
  if (output.errors?.length) throw new Error(output.errors.map((error) => error.formattedMessage).join('\n'))
  const compiled = CONTRACT_NAMES.map((name) => [name, toCompiled(output.contracts[`${name}.sol`]?.[name])])
  return Object.fromEntries(compiled)
}

type SolcContract = {
  readonly evm: {
    readonly deployedBytecode: {
      readonly object: string
      readonly immutableReferences: Readonly<Record<string, unknown>>
    }
    readonly methodIdentifiers: Readonly<Record<string, string>>
  }
}
type SolcOutput = {
  readonly errors?: readonly { readonly formattedMessage: string }[]
  readonly contracts: Readonly<Record<string, Readonly<Record<string, SolcContract>>>>
}

function toCompiled(contract: SolcContract | undefined): Compiled {
  if (!contract) throw new Error('a contract is missing: each must be in a file of its name')
  const { deployedBytecode, methodIdentifiers } = contract.evm
  return {
    code: `0x${deployedBytecode.object}`,
    selectors: methodIdentifiers,
    hasImmutables: Object.keys(deployedBytecode.immutableReferences).length > 0,
  }
}

/** The content of `runtime-code.json`. */
export function renderRuntimeCode(compiled: ReturnType<typeof compileContracts>): string {
  const codes = Object.fromEntries(CONTRACT_NAMES.map((name) => [name, compiled[name].code]))
  return `${JSON.stringify({ sources: hashSources(), ...codes }, null, 2)}\n`
}

if (import.meta.main) {
  writeFileSync(RUNTIME_CODE_FILE, renderRuntimeCode(compileContracts()))
  console.log(`wrote ${RUNTIME_CODE_FILE}`)
}
