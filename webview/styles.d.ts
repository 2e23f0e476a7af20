// Style sheets are bundled beside the script; importing one has no value.
declare module '*.css';
