import { existsSync } from 'node:fs'

export const ICON_STYLES = ['solid', 'regular', 'brands'] as const
export type IconStyle = (typeof ICON_STYLES)[number]

/** Names hold nothing that could lead out of the folder. */
export const ICON_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** The styles that an icon comes in, by its name or any of its former names; empty when there is no such icon. */
export function stylesOf(name: string): readonly IconStyle[] {
  if (!ICON_NAME.test(name)) return []
  return ICON_STYLES.filter((style) => existsSync(iconFile(name, style)))
}

/** Where the outline of an icon is in the installed package. */
export function iconFile(name: string, style: IconStyle): URL {
  return new URL(
    `svgs/${style}/${name}.svg`,
    import.meta.resolve('@fortawesome/fontawesome-free/package.json'),
  )
}
