import type { Hex } from '@tollbook/chain/hex'
import { BASE } from '@tollbook/chain/network'
import { BASE_CONTRACTS } from '../chain/contracts.ts'
import { FACILITATOR_LIST, knownFacilitators } from '../chain/facilitators.ts'
import type { ReportInputs } from '../published/inputs.ts'
import { METHOD_VERSION, SCREENS } from '../screen/screens.ts'
import { toCurrentName } from '../screen/threshold-names.ts'
import { type Check, compare } from './check.ts'

/** Compares the chain, contracts, facilitators and method in the published inputs with our own. */
export function checkBasis(
  inputs: ReportInputs,
  { genesisHash, chainId }: { readonly genesisHash: Hex; readonly chainId: number },
): readonly Check[] {
  return [
    compare({ field: 'inputs.chain.chain_id', published: inputs.chain.chain_id, expected: chainId }),
    compare({
      field: 'inputs.chain.genesis_hash',
      published: inputs.chain.genesis_hash,
      expected: genesisHash,
    }),
    compare({
      field: 'inputs.contracts.usdc',
      published: inputs.contracts.usdc,
      expected: BASE.usdc.toLowerCase(),
    }),
    compareSets('inputs.contracts.permit2_proxies', inputs.contracts.permit2_proxies, BASE_CONTRACTS.proxies),
    ...checkMethod(inputs),
    ...checkFacilitators(inputs),
  ]
}

function checkMethod({ method }: ReportInputs): readonly Check[] {
  const field = 'inputs.method'
  const names = (screens: readonly { readonly kind: string }[]) => screens.map(({ kind }) => kind).join(', ')
  return [
    compare({ field: `${field}.version`, published: method.version, expected: METHOD_VERSION }),
    compare({ field: `${field}.screens`, published: names(method.screens), expected: names(SCREENS) }),
    ...SCREENS.flatMap((screen): Check[] => {
      const listed = method.screens.find(({ kind }) => kind === screen.kind)
      if (!listed) return []
      const thresholds = new Map(Object.entries(listed.thresholds))
      const known = new Map(Object.entries(screen.thresholds))
      const isListed = (name: string) =>
        [...thresholds.keys()].some((listed) => toCurrentName(listed) === name)
      const missing = [...known.keys()].filter((name) => !isListed(name))
      return [
        compare({
          field: `${field}.screens.${screen.kind}.version`,
          published: listed.version,
          expected: screen.version,
        }),
        ...[...thresholds.keys(), ...missing].map((name) =>
          compare({
            field: `${field}.screens.${screen.kind}.thresholds.${name}`,
            published: thresholds.get(name),
            expected: known.get(toCurrentName(name)),
          }),
        ),
      ]
    }),
  ]
}

/** A publisher may add facilitators, which is noted; a missing one of the same list is a difference. */
function checkFacilitators({ facilitators, excluded_payees: excluded }: ReportInputs): readonly Check[] {
  const own = knownFacilitators()
  const listed = new Set<string>(facilitators.addresses)
  const isSameList = facilitators.list.startsWith(FACILITATOR_LIST)
  const left = [...own].filter((address) => !listed.has(address))
  const added = [...listed].filter((address) => !own.has(address as Hex))
  const field = 'inputs.facilitators'
  return [
    {
      field,
      verdict: left.length === 0 ? 'equal' : isSameList ? 'differs' : 'not_checked',
      published: `${facilitators.list}: ${listed.size} addresses`,
      expected: `${FACILITATOR_LIST}: ${own.size} addresses`,
      ...(left.length > 0 && { note: `${left.length} known facilitators are missing: ${some(left)}` }),
    },
    ...(added.length > 0
      ? [
          {
            field: `${field}.added`,
            verdict: 'from_inputs' as const,
            published: added.length,
            note: `not in the list of this verifier: ${some(added)}`,
          },
        ]
      : []),
    compareSets('inputs.excluded_payees', excluded, listed),
  ]
}

function compareSets(field: string, published: readonly string[], expected: Iterable<string>): Check {
  const text = (addresses: Iterable<string>) => [...new Set(addresses)].sort().join(', ')
  const check = compare({ field, published: text(published), expected: text(expected) })
  // Equal lists are shortened: their contents do not help the reader.
  const count = new Set(published).size
  return check.verdict === 'equal'
    ? { ...check, published: `${count} addresses`, expected: `${count} addresses` }
    : check
}

const SHOWN = 3

function some(addresses: readonly string[]): string {
  const more = addresses.length > SHOWN ? ` and ${addresses.length - SHOWN} more` : ''
  return `${addresses.slice(0, SHOWN).join(', ')}${more}`
}
