/** The 148 named colours of CSS; the package ships without types. */
declare module 'color-name' {
  const rgbByName: Readonly<Record<string, readonly [red: number, green: number, blue: number]>>
  export = rgbByName
}
