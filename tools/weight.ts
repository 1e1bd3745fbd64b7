import { Weights } from './measure-weights.ts'

/**
 * Prints what each package and app takes on disk with its dependencies, and what all of them take, in MiB and packages
 * of others.
 */
const weights = new Weights(process.cwd())
const groups = [
  ...weights.workspaces.map((folder) => [folder]),
  ['apps/report', 'apps/social', 'packages/devchain'],
]
for (const folders of groups) {
  const { name, mebibytes, packages, optional } = weights.ofWorkspaces(...folders)
  const added =
    optional.packages > 0 ? `, optional ${round(optional.mebibytes)} MiB ${optional.packages}` : ''
  process.stdout.write(`${name}: ${round(mebibytes)} MiB ${packages}${added}\n`)
}
for (const install of [weights.everything(), weights.everythingWithoutNode(), weights.development()]) {
  const largest = install.largest.map(({ name, mebibytes }) => `${name} ${round(mebibytes)}`).join(', ')
  process.stdout.write(`${install.name}: ${round(install.mebibytes)} MiB ${install.packages} (${largest})\n`)
}

function round(mebibytes: number): string {
  return mebibytes.toFixed(mebibytes < 10 ? 1 : 0)
}
