import { accessSync, chmodSync, constants } from 'node:fs'
import { createRequire } from 'node:module'

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/**
 * The anvil binary of the npm package for this platform; no install script is needed.
 * @throws Error that names the missing package.
 */
export function findAnvil(): string {
  const windows = process.platform === 'win32'
  const name = `@foundry-rs/anvil-${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`
  // The platform packages are dependencies of @foundry-rs/anvil, so resolve them from there.
  const fromHere = createRequire(import.meta.url)
  try {
    const fromAnvil = createRequire(fromHere.resolve('@foundry-rs/anvil/package.json'))
    const file = fromAnvil.resolve(`${name}/bin/anvil${windows ? '.exe' : ''}`)
    makeExecutable(file)
    return file
  } catch (cause) {
    throw new Error(`the dev chain needs the npm package ${name}, which is not installed or not usable`, {
      cause,
    })
  }
}

// Some registries and caches drop the mode of packed files.
function makeExecutable(file: string) {
  try {
    accessSync(file, constants.X_OK)
  } catch {
    chmodSync(file, 0o755)
  }
}
