#if YAML
#endif
