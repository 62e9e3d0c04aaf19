/** Narrow screens: everything in one column, names that stay, methods before what stands aside. */
export const NARROW_STYLE = `
@media screen and (max-width:60rem){.answer{grid-template-columns:minmax(0,1fr)}}
@media (max-width:34rem){body{font-size:15px}.grid th,.grid td{padding:.34rem .5rem}.facts-list>div{grid-template-columns:1fr;gap:0}.filters{position:static}.filters fieldset{position:static;box-shadow:none;white-space:normal;margin-top:.4rem}.plot{padding:.2rem}}
`;
