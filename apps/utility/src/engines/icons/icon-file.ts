import { existsSync } from 'node:fs'

export const ICON_STYLES = ['solid', 'regular', 'brands'] as const
export type IconStyle = (typeof ICON_STYLES)[number]

/** Restricted characters, so that a name cannot escape the folder. */
export const ICON_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** The styles of an icon, found by its current name or any former name; empty if there is no such icon. */
export function stylesOf(name: string): readonly IconStyle[] {
  if (!ICON_NAME.test(name)) return []
  return ICON_STYLES.filter((style) => existsSync(iconFile(name, style)))
}

/** The path of an icon's SVG file in the installed package. */
export function iconFile(name: string, style: IconStyle): URL {
  return new URL(
    `svgs/${style}/${name}.svg`,
    import.meta.resolve('@fortawesome/fontawesome-free/package.json'),
  )
}
